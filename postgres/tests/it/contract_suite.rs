mod history_store {
    testkit::history_store_contract!(crate::support::open);
}

mod history_repair {
    testkit::history_repair_contract!(crate::support::open_for_repair);
}
