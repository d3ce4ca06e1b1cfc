#!/bin/sh
# Run once by the Postgres image, when its data directory is new: a database for the game and one for Keycloak, each
# with its own user, who can do nothing in the other.
set -eu

database() {
    # A password comes in as a variable of psql, which quotes it.
    psql --set ON_ERROR_STOP=1 --no-psqlrc --username "$POSTGRES_USER" --dbname postgres \
        --set name="$1" --set password="$2" <<'SQL'
CREATE ROLE :"name" LOGIN PASSWORD :'password';
CREATE DATABASE :"name" OWNER :"name" ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
SQL
}

database keycloak "${KEYCLOAK_DB_PASSWORD:?is not set}"
database mancala "${MANCALA_DB_PASSWORD:?is not set}"
