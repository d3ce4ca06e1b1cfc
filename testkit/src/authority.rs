//! Certificates for tests: an authority of the test's own, and what it vouches for.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, IsCa, KeyPair};
use tempfile::TempDir;

/// The names of this machine, by which tests reach their servers.
const NAMES: [&str; 2] = ["127.0.0.1", "localhost"];

/// Somebody who vouches for others. Its files are removed with it.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    directory: TempDir,
}

/// Files with a certificate and its key, and with who vouches for it. They are there as long as their authority.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The certificate.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// The authority's own certificate.
    pub authority: PathBuf,
}

impl Authority {
    /// A new one, of this name.
    ///
    /// # Errors
    /// Its files cannot be written.
    pub fn new(name: &str) -> anyhow::Result<Self> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name = named(name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = Self {
            issuer: CertifiedIssuer::self_signed(params, KeyPair::generate()?)?,
            directory: tempfile::Builder::new().prefix("turnstream-").tempdir()?,
        };
        // A server that must not run as root has to get through.
        fs::set_permissions(authority.directory.path(), fs::Permissions::from_mode(0o755))?;
        fs::write(authority.file(), authority.issuer.pem())?;
        Ok(authority)
    }

    /// The file with its certificate.
    pub fn file(&self) -> PathBuf {
        self.directory.path().join("authority.pem")
    }

    /// Vouches for a server of this machine, or for a client of it.
    ///
    /// # Errors
    /// The files cannot be written.
    pub fn vouch_for(&self, name: &str) -> anyhow::Result<Identity> {
        let mut params = CertificateParams::new(NAMES.map(str::to_owned))?;
        params.distinguished_name = named(name);
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?;
        let file = |what: &str| self.directory.path().join(format!("{name}.{what}.pem"));
        let identity = Identity {
            certificate: file("certificate"),
            key: file("key"),
            authority: self.file(),
        };
        fs::write(&identity.certificate, certificate.pem())?;
        fs::write(&identity.key, key.serialize_pem())?;
        Ok(identity)
    }
}

fn named(name: &str) -> DistinguishedName {
    let mut distinguished = DistinguishedName::new();
    distinguished.push(DnType::CommonName, name);
    distinguished
}
