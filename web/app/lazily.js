// What is loaded when it is first needed: an element that is on a page already becomes itself as soon as it is here.

/** @param {() => Promise<unknown>} load @returns {() => void} loads once, and again after a failure */
export function lazily(load) {
  /** @type {Promise<unknown> | null} */
  let loading = null;
  return () => {
    loading ??= load();
    loading.catch(() => (loading = null));
  };
}
