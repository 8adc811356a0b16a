import { Node } from './node.ts'
import { serveRpc } from './rpc/serve.ts'
import { Store } from './store.ts'

/**
 * `node devnet/src/main.ts DATA_DIR PORT`: a regtest chain for newcomers and tests, spoken to by Core's JSON-RPC with
 * the credentials in ORDBOOK_DEVNET_CREDENTIALS (`user:password`). It has no peers, no wallet and no consensus code
 * that the network shares: it is not a Bitcoin node and must never be used with real coins.
 */
const [directory, port] = process.argv.slice(2)
if (!directory || !port) {
  console.error('usage: node devnet/src/main.ts DATA_DIR PORT')
  process.exit(2)
}
const node = new Node(new Store(directory))
const server = serveRpc(node, process.env.ORDBOOK_DEVNET_CREDENTIALS ?? 'devnet:devnet')
// Longer than any client of ours rests: a connection that ends just as a call is sent loses the call.
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
// The parent holds our standard input open; when it dies, however it dies, we stop too.
if (process.env.ORDBOOK_STOP_WITH_PARENT) process.stdin.on('end', stop).resume()
