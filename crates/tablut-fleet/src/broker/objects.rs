//! Objects at the broker: nets by hash, and results that are too large for a message.

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::jetstream::object_store::{self, ObjectMetadata, ObjectStore};
use tablut_net::{Architecture, Weights, container};
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use super::{Broker, FORGOTTEN};
use crate::error::{BrokerResult, FleetError};

/// The object store: nets by hash, and results that are too large for a message.
const NETS: &str = "tablut-nets";
const OBJECT_TIME: Duration = Duration::from_mins(1);
const CHUNK_BYTES: usize = 512 << 10;
const MAX_OBJECT_BYTES: usize = 1 << 30;

impl Broker {
    /// The object store, which is created if it does not exist yet.
    pub(super) async fn nets(&self) -> Result<ObjectStore, FleetError> {
        if let Ok(store) = self.jetstream.get_object_store(NETS).await {
            return Ok(store);
        }
        let config =
            object_store::Config { bucket: NETS.to_owned(), max_age: FORGOTTEN, ..object_store::Config::default() };
        self.jetstream.create_object_store(config).await.during("the broker's object store")
    }

    /// Stores a net under its hash, unless it is already stored.
    pub async fn put_net(&self, hash: &str, weights: &Weights) -> Result<(), FleetError> {
        let store = self.nets().await?;
        if store.info(hash).await.is_ok_and(|info| !info.deleted) {
            return Ok(());
        }
        let metadata = BTreeMap::from([("architecture", weights.architecture().to_json()), ("hash", hash.to_owned())]);
        let bytes = container::serialize(&metadata, weights.iter());
        let bytes = bytes.map_err(|error| FleetError::message("net", error))?;
        self.put_object(hash.to_owned(), &bytes).await
    }

    pub async fn net(&self, hash: &str, architecture: Architecture) -> Result<Weights, FleetError> {
        let missing = || FleetError::broker("fetching a net", format!("there is no net {hash}"));
        let bytes = self.object("fetching a net", hash, MAX_OBJECT_BYTES).await?.ok_or_else(missing)?;
        let wrong = |error: &dyn std::fmt::Display| FleetError::message("net", error);
        let (_, tensors) = container::deserialize(&bytes).map_err(|error| wrong(&error))?;
        let weights = Weights::new(architecture, tensors).map_err(|error| wrong(&error))?;
        let found = weights.hash();
        if found != hash {
            return Err(wrong(&format!("its hash is {found}, expected {hash}")));
        }
        Ok(weights)
    }

    pub async fn put_object(&self, name: String, bytes: &[u8]) -> Result<(), FleetError> {
        let metadata = ObjectMetadata { name, chunk_size: Some(self.chunk_bytes()), ..ObjectMetadata::default() };
        self.nets().await?.put(metadata, &mut &bytes[..]).await.map(drop).during("storing a net")
    }

    fn chunk_bytes(&self) -> usize {
        CHUNK_BYTES.min(self.client.max_payload() / 2).max(1024)
    }

    /// An object of at most `max_bytes`. `None` if there is none with this name.
    pub async fn object(
        &self,
        what: &'static str,
        name: &str,
        max_bytes: usize,
    ) -> Result<Option<Vec<u8>>, FleetError> {
        let fetched = async {
            let object = match self.nets().await?.get(name).await {
                Ok(object) => object,
                Err(error) if error.kind() == object_store::GetErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error).during(what),
            };
            let size = object.info().size;
            if size > max_bytes {
                return Err(FleetError::message(what, format!("{size} bytes, expected at most {max_bytes}")));
            }
            // The buffer grows with the bytes that arrive, up to the announced size.
            let mut bytes = Vec::new();
            object.take(size as u64).read_to_end(&mut bytes).await.during(what)?;
            Ok(Some(bytes))
        };
        let silent = |_| Err(FleetError::broker(what, "no answer within a minute"));
        timeout(OBJECT_TIME, fetched).await.unwrap_or_else(silent)
    }

    pub async fn remove_object(&self, name: &str) -> Result<(), FleetError> {
        self.nets().await?.delete(name).await.during("removing an object")
    }
}
