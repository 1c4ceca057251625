//! The page's files, which are built into the program. The server serves only the files of this list.

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Asset {
    pub path: &'static str,
    pub content_type: &'static str,
    pub bytes: &'static [u8],
}

/// The page itself, which is served for the path of every game.
pub const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/page/index.html"));

macro_rules! assets {
    ($($kind:literal: $($path:literal)*;)*) => {
        pub const ASSETS: &[Asset] = &[$($(Asset {
            path: concat!("/", $path),
            content_type: $kind,
            bytes: include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/page/", $path)),
        },)*)*];
    };
}

include!(concat!(env!("CARGO_MANIFEST_DIR"), "/page/assets.rs"));

pub fn asset(path: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_file_of_the_page_is_listed_and_asks_no_other_host() {
        fn files(folder: &Path, found: &mut Vec<String>, root: &Path) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    files(&path, found, root);
                } else {
                    found.push(format!("/{}", path.strip_prefix(root).unwrap().to_str().unwrap()));
                }
            }
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let mut found = Vec::new();
        files(&root, &mut found, &root);
        found.retain(|path| !matches!(path.as_str(), "/index.html" | "/assets.rs"));
        let mut listed: Vec<&str> = ASSETS.iter().map(|asset| asset.path).collect();
        found.sort();
        listed.sort_unstable();
        assert_eq!(listed, found);
        for (name, bytes) in ASSETS.iter().map(|asset| (asset.path, asset.bytes)).chain([("page", PAGE.as_bytes())]) {
            let text = String::from_utf8_lossy(bytes).replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("http://") && !text.contains("https://"), "{name} names another host");
        }
    }

    #[test]
    fn the_page_and_all_that_it_loads_are_small() {
        let sum: usize = ASSETS.iter().map(|asset| asset.bytes.len()).sum::<usize>() + PAGE.len();
        assert!(sum < 255_000, "{sum} bytes");
    }
}
