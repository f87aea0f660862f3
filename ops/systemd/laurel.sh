#!/bin/sh
# A command of Laurel with the settings, the user and the folder of laurel.service: `sudo laurel doctor`. It goes to
# /usr/local/bin/laurel. Without these settings a command would make a database of its own, and work on that one.
exec systemd-run --quiet --pipe --wait --collect \
  --property=DynamicUser=yes --property=User=laurel \
  --property=StateDirectory=laurel --property=StateDirectoryMode=0700 --property=UMask=0077 \
  --property=EnvironmentFile=/etc/laurel/laurel.env --property=Environment=LAUREL_DATA_DIR=/var/lib/laurel \
  --property=WorkingDirectory=/opt/laurel \
  /opt/laurel/node_modules/.bin/node src/cli/laurel.ts "$@"
