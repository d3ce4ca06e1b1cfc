//! Where the servers are, as a URL says it, and who it says that we are.

use async_nats::ServerAddr;
use percent_encoding::percent_decode_str;

use crate::config::Credentials;
use crate::connection::ConnectError;

/// The servers of some URLs, separated by commas, and what the first that says so says of us. The client takes no
/// credentials from a URL, and writes the whole of it to the log: so here they are taken out.
pub(crate) fn parse(urls: &str) -> Result<(Vec<ServerAddr>, Option<Credentials>), ConnectError> {
    let mut credentials = None;
    let mut servers = Vec::new();
    for url in urls.split(',') {
        let (server, own) = one(url.trim())?;
        servers.push(server);
        credentials = credentials.or(own);
    }
    Ok((servers, credentials))
}

fn one(url: &str) -> Result<(ServerAddr, Option<Credentials>), ConnectError> {
    // Why it is none may quote it.
    let wrong = |_| ConnectError::Config("its URL is not of the form nats://host:port".to_owned());
    let server: ServerAddr = url.parse().map_err(wrong)?;
    if server.host().is_empty() {
        return Err(ConnectError::Config("its URL names no host".to_owned()));
    }
    let credentials = credentials(&server);
    let mut url = server.into_inner();
    if url.set_username("").is_err() || url.set_password(None).is_err() {
        return Err(ConnectError::Config("its URL cannot name a user".to_owned()));
    }
    Ok((ServerAddr::from_url(url).map_err(wrong)?, credentials))
}

/// `user:password@`, or `token@`.
fn credentials(server: &ServerAddr) -> Option<Credentials> {
    let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let user = plain(server.username()?);
    Some(match server.password() {
        Some(password) => Credentials::Password {
            user,
            password: plain(password),
        },
        None => Credentials::Token(user),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(urls: &str) -> (Vec<String>, Option<Credentials>) {
        let (servers, credentials) = parse(urls).expect("good URLs");
        let servers = servers.iter().map(|server| server.as_url_str().to_owned());
        (servers.collect(), credentials)
    }

    #[test]
    fn who_we_are_is_taken_out_of_the_url() {
        let (servers, credentials) = parsed("nats://us:hunter%402@a:4222, nats://us:hunter%402@b");
        assert_eq!(servers, ["nats://a:4222", "nats://b"]);
        let Some(Credentials::Password { user, password }) = credentials else {
            panic!("the URL has a password");
        };
        assert_eq!((user.as_str(), password.as_str()), ("us", "hunter@2"));
        let (servers, credentials) = parsed("tls://token@a");
        assert_eq!(servers, ["tls://a"]);
        assert!(matches!(credentials, Some(Credentials::Token(token)) if token == "token"));
        assert!(parsed("localhost:4222").1.is_none());
    }

    #[test]
    fn what_is_no_url_is_told_without_it() {
        for url in [
            "",
            "nats://",
            "http://[",
            "hunter2://us:hunter2@a",
            "nats://us:hunter2@a:x",
        ] {
            let error = parse(url).expect_err("it is none");
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }
}
