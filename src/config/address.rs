//! Networks of addresses, such as those of trusted proxies.

use std::net::IpAddr;
use std::str::FromStr;

/// An address, or all that share its first bits: `10.0.0.0/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    first: IpAddr,
    bits: u32,
}

impl Network {
    /// Whether `address` is in it. An IPv4 address written as IPv6 is the IPv4 address.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.first, address.to_canonical()) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                same_start(first.to_bits().into(), address.to_bits().into(), self.bits, 32)
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                same_start(first.to_bits(), address.to_bits(), self.bits, 128)
            }
            _ => false,
        }
    }
}

fn same_start(a: u128, b: u128, bits: u32, width: u32) -> bool {
    bits == 0 || (a ^ b) >> (width - bits) == 0
}

impl FromStr for Network {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (address, bits) = text.split_once('/').map_or((text, None), |(a, b)| (a, Some(b)));
        let first: IpAddr = address
            .parse()
            .map_err(|_| "not an address or a network such as 10.0.0.0/8")?;
        let width = if first.is_ipv4() { 32 } else { 128 };
        let bits = bits
            .map_or(Ok(width), str::parse)
            .map_err(|_| "the bits after / are not a number")?;
        if bits > width {
            Err("more bits than an address has")
        } else {
            Ok(Self { first, bits })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_has_the_addresses_that_share_its_bits() {
        let has = |network: &str, address: &str| {
            let network: Network = network.parse().expect("a network");
            network.contains(address.parse().expect("an address"))
        };
        assert!(has("10.0.0.0/8", "10.9.8.7") && !has("10.0.0.0/8", "11.0.0.1"));
        assert!(has("10.0.0.1", "10.0.0.1") && !has("10.0.0.1", "10.0.0.2"));
        assert!(has("10.0.0.0/8", "::ffff:10.1.1.1"));
        assert!(has("fd00::/8", "fd12::1") && !has("fd00::/8", "10.0.0.1"));
        assert!(has("0.0.0.0/0", "1.2.3.4") && has("::/0", "fe80::1"));
        for bad in ["", "10.0.0.0/33", "10.0.0.0/x", "host"] {
            assert!(bad.parse::<Network>().is_err(), "{bad}");
        }
    }
}
