//! Finds which file of a crate imports from which, from the paths in their texts.
//!
//! A path leads to the file that defines its item, through re-exports. Code under `#[cfg(test)]` does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A module's path inside its crate, such as `["layers", "dense"]`. The root's path is empty.
type Module = Vec<String>;

/// The modules of a crate, each a file.
pub struct Sources {
    modules: BTreeMap<Module, Words>,
}

/// A file's text as words and signs, without comments, strings and tests.
struct Words {
    tokens: Vec<String>,
    /// The file's re-exports: the name and the path of the item.
    re_exports: Vec<(String, Vec<String>)>,
}

impl Sources {
    /// Reads the files of a crate's `src`.
    pub fn read(src: &Path, files: &[PathBuf]) -> Self {
        let texts: Vec<(Module, String)> = files
            .iter()
            .map(|file| {
                let relative = file.strip_prefix(src).expect("a file of the crate").with_extension("");
                let mut module: Module = relative.iter().map(|part| part.to_str().expect("UTF-8").to_owned()).collect();
                if module == ["lib"] || module == ["main"] {
                    module.clear();
                }
                (module, fs::read_to_string(file).expect("a readable file"))
            })
            .collect();
        Self::new(texts)
    }

    /// Modules from their texts, with the path of each: `a::b`.
    pub fn from_texts(texts: &[(&str, &str)]) -> Self {
        let split = |path: &str| path.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
        Self::new(texts.iter().map(|(path, text)| (split(path), (*text).to_owned())).collect())
    }

    fn new(texts: Vec<(Module, String)>) -> Self {
        let mut modules = BTreeMap::new();
        let mut tests = BTreeSet::new();
        for (module, text) in texts {
            let (tokens, under_test) = without_tests(&tokens(&text));
            tests.extend(under_test.into_iter().map(|child| [module.as_slice(), &[child]].concat()));
            // A crate can have a root for its library and one for its program. Their imports count together.
            let words = modules.entry(module).or_insert(Words { tokens: Vec::new(), re_exports: Vec::new() });
            words.tokens.extend(tokens);
        }
        modules.retain(|module, _| !(1..=module.len()).any(|length| tests.contains(&module[..length])));
        for words in modules.values_mut() {
            words.re_exports = uses(&words.tokens)
                .into_iter()
                .filter(|declared| declared.public)
                .flat_map(|declared| declared.paths)
                .filter_map(|path| Some((path.last()?.clone(), path)))
                .collect();
        }
        Self { modules }
    }

    /// Whether no module was read.
    pub fn is_empty(&self) -> bool {
        self.modules.is_empty()
    }

    /// All circles of imports, as lines with the importing module, the imported module and the item.
    pub fn circles(&self) -> Vec<String> {
        let mut edges: BTreeMap<&Module, BTreeMap<Module, String>> = BTreeMap::new();
        for (module, words) in &self.modules {
            for path in paths(&words.tokens) {
                for target in self.resolve(module, &path, 0).into_iter().filter(|target| target != module) {
                    edges
                        .entry(module)
                        .or_default()
                        .entry(target)
                        .or_insert_with(|| path.last().expect("a name").clone());
                }
            }
        }
        let reach = |from: &Module| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
            while let Some(at) = open.pop() {
                for next in edges.get(&at).into_iter().flat_map(BTreeMap::keys) {
                    if seen.insert(next.clone()) {
                        open.push(next.clone());
                    }
                }
            }
            seen
        };
        let reached: BTreeMap<&Module, BTreeSet<Module>> =
            self.modules.keys().map(|module| (module, reach(module))).collect();
        let mut done = BTreeSet::new();
        let mut circles = Vec::new();
        for module in self.modules.keys() {
            if !reached[module].contains(module) || done.contains(module) {
                continue;
            }
            let members: Vec<&Module> =
                reached[module].iter().filter(|other| reached[*other].contains(module)).collect();
            let name = |module: &Module| if module.is_empty() { "the root".to_owned() } else { module.join("::") };
            let mut lines = Vec::new();
            for from in &members {
                done.insert((*from).clone());
                for (to, what) in edges.get(*from).into_iter().flatten().filter(|(to, _)| members.contains(to)) {
                    lines.push(format!("  {} imports {} ({what})", name(from), name(to)));
                }
            }
            circles.push(lines.join("\n"));
        }
        circles
    }

    /// The module that defines the item of a path in the module `from`. A module that re-exports the item comes first,
    /// if it is neither the root nor above `from`. Empty for paths of other crates.
    fn resolve(&self, from: &Module, path: &[String], depth: usize) -> Vec<Module> {
        let mut at = from.clone();
        let mut rest = path;
        match path.first().map(String::as_str) {
            Some("crate") => {
                at.clear();
                rest = &path[1..];
            }
            Some("self") => rest = &path[1..],
            Some("super") => {
                while rest.first().is_some_and(|word| word == "super") {
                    at.pop();
                    rest = &rest[1..];
                }
            }
            Some(first) if self.modules.contains_key(&[from.as_slice(), &[first.to_owned()]].concat()) => {}
            _ => return Vec::new(),
        }
        while let Some(next) = rest.first() {
            let child = [at.as_slice(), std::slice::from_ref(next)].concat();
            if !self.modules.contains_key(&child) {
                break;
            }
            at = child;
            rest = &rest[1..];
        }
        let re_exports = self.modules.get(&at).map_or(&[][..], |words| &words.re_exports);
        for (_, target) in re_exports.iter().filter(|(name, _)| depth < 8 && rest.first() == Some(name)) {
            let mut found = self.resolve(&at, target, depth + 1);
            if !found.is_empty() {
                if !from.starts_with(&at) {
                    found.insert(0, at);
                }
                return found;
            }
        }
        vec![at]
    }
}

/// Words and signs of a text, without comments and strings.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(string) = rest.strip_prefix("r#\"") {
            string.find("\"#").map_or(rest.len(), |end| end + 5)
        } else if let Some(string) = rest.strip_prefix('"') {
            let mut escaped = false;
            let end = string.find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("'\"'") || rest.starts_with("b'\"'") {
            rest.find("\"'").expect("it starts so") + 2
        } else if first.is_alphanumeric() || first == '_' {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push(rest[..length].to_owned());
            length
        } else {
            let sign = if rest.starts_with("::") { "::" } else { &rest[..first.len_utf8()] };
            if !first.is_whitespace() {
                tokens.push(sign.to_owned());
            }
            sign.len()
        };
        rest = &rest[length..];
    }
    tokens
}

/// Removes items under `#[cfg(test)]`, and returns those of them that are modules with files.
fn without_tests(tokens: &[String]) -> (Vec<String>, Vec<String>) {
    const TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut kept, mut modules) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        if !tokens[at..].iter().zip(TEST).map(|(found, wanted)| found == wanted).eq([true; 7]) {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        at += TEST.len();
        if let Some(position) = tokens[at..].iter().take(4).position(|word| word == "mod")
            && tokens.get(at + position + 2).is_some_and(|sign| sign == ";")
        {
            modules.push(tokens[at + position + 1].clone());
        }
        // The item under test ends with its block, or with a semicolon outside of one.
        let mut open = 0;
        while at < tokens.len() {
            let token = tokens[at].as_str();
            at += 1;
            open += i32::from(token == "{") - i32::from(token == "}");
            if open == 0 && (token == "}" || token == ";") {
                break;
            }
        }
    }
    (kept, modules)
}

/// A `use` declaration.
struct Use {
    /// Whether it is a re-export.
    public: bool,
    paths: Vec<Vec<String>>,
    /// The range of its tokens.
    place: Range<usize>,
}

fn uses(tokens: &[String]) -> Vec<Use> {
    let mut found = Vec::new();
    for (start, _) in tokens.iter().enumerate().filter(|(_, word)| *word == "use") {
        // `impl Trait + use<'a>` imports nothing.
        if tokens.get(start + 1).is_some_and(|next| next == "<") {
            continue;
        }
        let public = start > 0 && (tokens[start - 1] == "pub" || tokens[start - 1] == ")");
        let (mut paths, mut end) = (Vec::new(), start + 1);
        use_tree(tokens, &mut end, &[], &mut paths);
        found.push(Use { public, paths, place: start..end });
    }
    found
}

/// Parses one tree of a `use` declaration at `at`, and adds its paths.
fn use_tree(tokens: &[String], at: &mut usize, before: &[String], into: &mut Vec<Vec<String>>) {
    let mut path = before.to_vec();
    while let Some(token) = tokens.get(*at) {
        match token.as_str() {
            "::" => *at += 1,
            "{" => {
                *at += 1;
                while tokens.get(*at).is_some_and(|next| next != "}" && next != ";") {
                    use_tree(tokens, at, &path, into);
                    if tokens.get(*at).is_some_and(|next| next == ",") {
                        *at += 1;
                    }
                }
                *at += 1;
                return;
            }
            "," | ";" | "}" => break,
            "as" => *at += 2,
            word => {
                path.push(word.to_owned());
                *at += 1;
            }
        }
    }
    if path.last().is_some_and(|word| word == "self") {
        path.pop();
    }
    into.push(path);
}

/// Every path of a file, in `use` declarations and in code. Items that are only re-exported do not count.
fn paths(tokens: &[String]) -> Vec<Vec<String>> {
    let uses = uses(tokens);
    let code: Vec<usize> =
        (0..tokens.len()).filter(|at| !uses.iter().any(|declared| declared.place.contains(at))).collect();
    let sign = |at: usize| tokens.get(at).map(String::as_str);
    // A module with the same name is not the item.
    let is_used = |item: &String| {
        code.iter()
            .any(|&at| tokens[at] == *item && sign(at + 1) != Some("::") && (at == 0 || sign(at - 1) != Some("mod")))
    };
    let mut found = Vec::new();
    for declared in &uses {
        let used = |path: &&Vec<String>| !declared.public || path.last().is_some_and(&is_used);
        found.extend(declared.paths.iter().filter(used).cloned());
    }
    for &start in &code {
        let before = start.checked_sub(1).and_then(sign);
        // `pub(in crate::…)` imports nothing.
        if sign(start + 1) != Some("::") || before == Some("::") || before == Some("in") {
            continue;
        }
        let (mut path, mut at) = (vec![tokens[start].clone()], start + 1);
        while let (Some("::"), Some(word)) = (sign(at), sign(at + 1))
            && word.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        {
            path.push(word.to_owned());
            at += 2;
        }
        found.push(path);
    }
    found
}
