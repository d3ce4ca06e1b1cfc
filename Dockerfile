# The service, built from its source; nothing of the build is in the image that runs.

FROM rust:1.95-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --release --locked --package turnstream

FROM debian:bookworm-slim
# A user without a shell and without a password. It owns only the embedded store.
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin turnstream \
    && install --directory --owner turnstream --mode 0700 /data
COPY --from=build /source/target/release/turnstream /usr/local/bin/turnstream
USER 10001
WORKDIR /
VOLUME /data
EXPOSE 8080
# SIGTERM: say goodbye to the players and write what waits.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["turnstream", "healthcheck"]
ENTRYPOINT ["turnstream"]
CMD ["serve", "--listen", "0.0.0.0:8080"]
