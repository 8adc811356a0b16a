import { Node } from './node.ts'
import { serveRpc } from './rpc/serve.ts'
import { Store } from './store.ts'

/**
 * `node devnet/src/main.ts DATA_DIR PORT`: a regtest chain for tutorials and tests, with Core's JSON-RPC and the credentials in
 * ORDBOOK_DEVNET_CREDENTIALS (`user:password`). It has no peers, no wallet and no shared consensus code: it is not a Bitcoin node. Never
 * use it with real coins.
 */
const [directory, port] = process.argv.slice(2)
if (!directory || !port) {
  console.error('usage: node devnet/src/main.ts DATA_DIR PORT')
  process.exit(2)
}
const node = new Node(new Store(directory))
const server = serveRpc(node, process.env.ORDBOOK_DEVNET_CREDENTIALS ?? 'devnet:devnet')
// Longer than the idle time of all our clients: a call is lost if the server closes its connection at the same moment.
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
// The parent holds our standard input open, so it ends when the parent dies, even by SIGKILL.
if (process.env.ORDBOOK_STOP_WITH_PARENT) process.stdin.on('end', stop).resume()
