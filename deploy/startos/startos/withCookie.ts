/** The node's volume, which holds its cookie. */
export const nodeFolder = '/mnt/bitcoind'

/**
 * The command that runs a program with BITCOIN_RPC_URL of the node's cookie. The node makes another cookie at each of its starts, so the
 * program ends when that happens, and StartOS starts it again with the new one. `command` holds no single quote.
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
