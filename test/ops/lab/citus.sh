#!/usr/bin/env bash
# A Citus cluster on this machine for tests: a coordinator and two workers of Debian's PostgreSQL, with nothing kept safe.
#   test/ops/lab/citus.sh start DIR [FIRST_PORT]   prints TEST_NODES
#   test/ops/lab/citus.sh stop DIR
#   test/ops/lab/citus.sh crash DIR NODE           until it is started again
set -euo pipefail
action=${1:?start, stop or crash} dir=${2:?a folder}
bin=/usr/lib/postgresql/15/bin
as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups env LC_ALL=C TZ=UTC "$@"; }
control() { as_postgres "$bin/pg_ctl" --pgdata "$dir/$1" --log "$dir/$1.log" --wait "${@:2}" >/dev/null; }
nodes=(coordinator worker-1 worker-2)

if [ "$action" = stop ]; then
  for node in "${nodes[@]}"; do [ ! -e "$dir/$node/postmaster.pid" ] || control "$node" stop --mode=fast; done
  exit
fi
if [ "$action" = crash ]; then
  control "${3:?a node}" stop --mode=immediate
  exit
fi
first=${3:-5700}
mkdir -p "$dir" && chmod 755 "$dir" && chown postgres:postgres "$dir"
urls=()
for n in 0 1 2; do
  node=${nodes[n]} port=$((first + n))
  if [ ! -d "$dir/$node" ]; then
    as_postgres "$bin/initdb" --pgdata "$dir/$node" --username laurel --auth trust --encoding UTF8 --locale C.UTF-8 >/dev/null
    cat >>"$dir/$node/postgresql.conf" <<CONF
port = $port
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
timezone = 'UTC'
shared_preload_libraries = 'citus'
citus.node_conninfo = 'sslmode=disable'
citus.shard_count = 4
citus.enable_statistics_collection = off
wal_level = logical
max_connections = 400
max_prepared_transactions = 400
max_worker_processes = 60
max_locks_per_transaction = 256
shared_buffers = 256MB
fsync = off
full_page_writes = off
max_wal_size = 2GB
CONF
  fi
  [ -e "$dir/$node/postmaster.pid" ] || control "$node" start
  urls+=("postgres://laurel@127.0.0.1:$port/postgres")
done
echo "TEST_NODES=$(IFS=,; echo "${urls[*]}")"
