/** Volume with the node's cookie. */
export const nodeFolder = '/mnt/bitcoind'

/**
 * Returns a command that runs a program with the node's cookie in BITCOIN_RPC_URL. When the cookie changes, the program is stopped, and
 * StartOS restarts it. `command` must not contain single quotes.
 */
export const withCookie = (address: string, command: string, folder = nodeFolder): [string, ...string[]] => [
  'sh',
  '-c',
  [
    `cookie=$(cat ${folder}/.cookie) || exit 1`,
    `export BITCOIN_RPC_URL="http://$cookie@${address}"`,
    `sh -c '${command}' & program=$!`,
    "trap 'kill $program 2>/dev/null; wait $program; exit' TERM INT",
    'while kill -0 $program 2>/dev/null; do',
    '  sleep 2 & wait $!',
    `  [ "$(cat ${folder}/.cookie)" = "$cookie" ] || kill $program`,
    'done',
    'wait $program',
  ].join('\n'),
]
