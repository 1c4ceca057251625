// A browser runs no modules of a page that it opens as a file, so this script, which is none, says what to do.

if (location.protocol === "file:") {
  const words = document.createElement("p");
  words.id = "opened-as-file";
  words.className = "update";
  words.textContent = "A browser cannot run this page as a file. Serve its folder, for example with the command python3 -m http.server in it, and open localhost:8000.";
  document.body.prepend(words);
}
