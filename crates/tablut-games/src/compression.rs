//! Compression by zstd. WebAssembly has no C library, so it has another implementation of the same format.

#[cfg(target_family = "wasm")]
pub(crate) use self::in_rust::{compressed, decompressed};
#[cfg(not(target_family = "wasm"))]
pub(crate) use self::library::{compressed, decompressed};

#[cfg(not(target_family = "wasm"))]
mod library {
    const LEVEL: i32 = 1;

    pub(crate) fn compressed(plain: &[u8]) -> Result<Vec<u8>, String> {
        zstd::bulk::compress(plain, LEVEL).map_err(|error| error.to_string())
    }

    /// The plain bytes. If there are more than `most`, it is an error.
    pub(crate) fn decompressed(packed: &[u8], most: usize) -> Result<Vec<u8>, String> {
        zstd::bulk::decompress(packed, most).map_err(|error| error.to_string())
    }
}

#[cfg(target_family = "wasm")]
mod in_rust {
    use ruzstd::decoding::StreamingDecoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Read;

    pub(crate) fn compressed(plain: &[u8]) -> Result<Vec<u8>, String> {
        Ok(compress_to_vec(plain, CompressionLevel::Fastest))
    }

    /// The plain bytes. If there are more than `most`, the first `most + 1`.
    pub(crate) fn decompressed(packed: &[u8], most: usize) -> Result<Vec<u8>, String> {
        let decoder = StreamingDecoder::new(packed).map_err(|error| error.to_string())?;
        let mut plain = Vec::new();
        decoder.take(most as u64 + 1).read_to_end(&mut plain).map_err(|error| error.to_string())?;
        Ok(plain)
    }
}
