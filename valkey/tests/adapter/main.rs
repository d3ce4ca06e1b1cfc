//! The adapter on real servers, one to a test.

mod damage;
mod generations;
mod lapse;
mod opened;
mod outages;
mod policy;
mod quarantine;

mod live_store {
    testkit::live_store_contract!(crate::opened::store);
}

mod pending_store {
    testkit::pending_store_contract!(crate::opened::store);
}

mod cache {
    testkit::cache_contract!(crate::opened::store);
}

mod service_keys {
    testkit::service_keys_contract!(crate::opened::store);
}

mod live_repair {
    testkit::live_repair_contract!(crate::opened::store);
}
