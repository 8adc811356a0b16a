import { Node } from './node.ts'
import { serveRpc } from './rpc/serve.ts'
import { Store } from './store.ts'

/**
 * Runs a regtest chain: `node devnet/src/main.ts DATA_DIR PORT`. Serves Core's JSON-RPC with the credentials in ORDBOOK_DEVNET_CREDENTIALS
 * (`user:password`). Never use it with real coins: it is not a Bitcoin node and has no peers.
 */
const [directory, port] = process.argv.slice(2)
if (!directory || !port) {
  console.error('usage: node devnet/src/main.ts DATA_DIR PORT')
  process.exit(2)
}
const node = new Node(new Store(directory))
const server = serveRpc(node, process.env.ORDBOOK_DEVNET_CREDENTIALS ?? 'devnet:devnet')
// Longer than our clients' idle time, so that the server never closes a connection in use.
server.keepAliveTimeout = 120_000
const fail = (error: unknown) => {
  console.error(`devnet: ${(error as Error).message}`)
  process.exit(1)
}
server.on('error', fail)
server.listen(Number(port), '127.0.0.1', () => {
  console.log(`devnet: height ${node.chain.height}, RPC on 127.0.0.1:${port}`)
})
let closing = false
const stop = () => {
  if (closing) return
  closing = true
  try {
    node.close()
  } catch (error) {
    fail(error)
  }
  server.close(() => process.exit(0))
  server.closeAllConnections()
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
// The parent holds standard input open, so this also works if the parent is killed.
if (process.env.ORDBOOK_STOP_WITH_PARENT) process.stdin.on('end', stop).resume()
