import { createHash } from 'node:crypto'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import { unspentOf } from '@ordbook/indexer/coins/coins.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testConfig } from '../../../e2e/support/market.ts'

const SCRIPT = Uint8Array.of(0x51)
const HASH = createHash('sha256').update(SCRIPT).digest()
const TXID = 'ab'.repeat(32)
const TIP = 200
/** Servers need no database. */
const NO_SQL = null as unknown as Sql

async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Looks a script up at a server while the node is at block `TIP`. */
const lookUp = (addressIndexUrl: string) => {
  const node = {
    blockchainInfo: async () => ({ chain: 'main', blocks: TIP, bestblockhash: '' }),
    unspentOf: () => Promise.reject(new Error('scanned')),
  }
  const config = { ...testConfig(), chain: 'main' as const, addressIndexUrl }
  return unspentOf({ sql: NO_SQL, node, ord: null, config }, SCRIPT)
}

const UNAVAILABLE = { kind: 'unavailable', code: 'address-index-unavailable' }
const ONE = { coins: [{ txid: TXID, vout: 3, valueSats: 700 }], isComplete: true }
const many = <T>(coin: T) => Array.from({ length: 1001 }, () => coin)

describe('an Electrum server', () => {
  const COIN = { tx_hash: TXID, tx_pos: 3, height: TIP, value: 700 }
  interface Request {
    id: number
    method: string
    params: unknown[]
  }
  const line = (message: object) => `${JSON.stringify(message)}\n`

  /** Starts a server. `answer` is the message for a list of coins. */
  async function start(answer: (request: Request) => object, tip = TIP): Promise<string> {
    return serve((socket, request) => {
      const { id, method } = request
      if (method === 'server.version') socket.write(line({ id, result: ['test', '1.4'] }))
      else if (method === 'blockchain.headers.subscribe') {
        socket.write(line({ method, params: [{ height: tip }] }))
        socket.write(line({ id, result: { height: tip, hex: '' } }))
      } else {
        const text = line(answer(request))
        // In two parts.
        socket.write(text.slice(0, 10))
        setTimeout(() => socket.write(text.slice(10)), 10)
      }
    })
  }

  async function serve(answer: (socket: Socket, request: Request) => void): Promise<string> {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      let text = ''
      socket.on('data', (chunk) => {
        const lines = (text + chunk).split('\n')
        text = lines.pop()!
        for (const each of lines) answer(socket, JSON.parse(each))
      })
    })
    return `electrum://127.0.0.1:${await listen(server)}`
  }

  it('lists confirmed coins by the reversed hash of the script', async () => {
    const url = await start(({ id, params }) => {
      expect(params).toEqual([Buffer.from(HASH).reverse().toString('hex')])
      return { id, result: [COIN, { ...COIN, height: 0 }, { ...COIN, height: -1 }] }
    })
    expect(await lookUp(url)).toEqual(ONE)
  })

  it('lists at most a thousand coins', async () => {
    const { coins, isComplete } = await lookUp(await start(({ id }) => ({ id, result: many(COIN) })))
    expect([coins.length, isComplete]).toEqual([1000, false])
  })

  it('does not list an address with four megabytes of coins', async () => {
    const url = await start(({ id }) => ({ id, result: Array.from({ length: 40_000 }, () => COIN) }))
    expect(await lookUp(url)).toEqual({ coins: [], isComplete: false })
  })

  it('does not list an address with a long history', async () => {
    const url = await start(({ id }) => ({ id, error: { code: 1, message: 'history too large' } }))
    expect(await lookUp(url)).toEqual({ coins: [], isComplete: false })
  })

  it.each<[string, (request: Request) => object]>([
    ['an error', ({ id }) => ({ id, error: { code: 1, message: 'unknown method' } })],
    ['a list that is none', ({ id }) => ({ id, result: { coins: [] } })],
    ['a coin without a value', ({ id }) => ({ id, result: [{ ...COIN, value: null }] })],
    ['a negative value', ({ id }) => ({ id, result: [{ ...COIN, value: -1 }] })],
    ['a fraction of a sat', ({ id }) => ({ id, result: [{ ...COIN, value: 0.5 }] })],
    // Coins with inscriptions are found by their txid in lower case.
    ['a txid in upper case', ({ id }) => ({ id, result: [{ ...COIN, tx_hash: TXID.toUpperCase() }] })],
    ['a txid that is not hex', ({ id }) => ({ id, result: [{ ...COIN, tx_hash: 'x'.repeat(64) }] })],
    ['a position that no output has', ({ id }) => ({ id, result: [{ ...COIN, tx_pos: 2 ** 32 }] })],
    ['more sats than exist', ({ id }) => ({ id, result: [{ ...COIN, value: 21e14 + 1 }] })],
  ])('fails with %s', async (_, answer) => {
    await expect(lookUp(await start(answer))).rejects.toMatchObject(UNAVAILABLE)
  })

  it('fails if it is more than six blocks behind', async () => {
    const answer = ({ id }: Request) => ({ id, result: [COIN] })
    expect(await lookUp(await start(answer, TIP - 6))).toEqual(ONE)
    await expect(lookUp(await start(answer, TIP - 7))).rejects.toMatchObject(UNAVAILABLE)
  })

  it.each<[string, (socket: Socket) => void]>([
    ['closes the connection', (socket) => socket.end()],
    ['is no Electrum server', (socket) => socket.write('SSH-2.0\n')],
    ['never ends a line', (socket) => void flood(socket)],
  ])('fails if it %s', async (_, answer) => {
    await expect(lookUp(await serve(answer))).rejects.toMatchObject(UNAVAILABLE)
  })

  it('fails if nothing listens', async () => {
    await expect(lookUp('electrum://127.0.0.1:1')).rejects.toMatchObject(UNAVAILABLE)
    await expect(lookUp('electrum+tls://127.0.0.1:1')).rejects.toMatchObject(UNAVAILABLE)
  })

  it.each(['electrum:', 'electrum+tls:'])(
    'fails if it does not respond within ten seconds (%s)',
    async (protocol) => {
      const silent = createServer((socket) => void socket.on('error', () => {}).resume())
      await expect(lookUp(`${protocol}//127.0.0.1:${await listen(silent)}`)).rejects.toMatchObject(
        UNAVAILABLE,
      )
    },
    20_000,
  )

  function flood(socket: Socket): void {
    const part = Buffer.alloc(2 ** 16, 'x')
    const more = () => {
      while (!socket.destroyed && socket.write(part));
    }
    socket.on('drain', more)
    more()
  }
})

describe('an Esplora server', () => {
  const COIN = { txid: TXID, vout: 3, value: 700, status: { confirmed: true, block_height: TIP } }

  async function start(status: number, answer: unknown, tip: unknown = TIP): Promise<string> {
    const handle: RequestListener = ({ url }, response) => {
      response.setHeader('content-type', 'text/plain')
      if (url === '/coins/blocks/tip/height') return response.end(String(tip))
      if (url !== `/coins/scripthash/${HASH.toString('hex')}/utxo`) return response.writeHead(404).end()
      return response.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer))
    }
    const server = createHttpServer(handle)
    const port = await listen(server)
    onTestFinished(() => server.closeAllConnections())
    return `esplora+http://127.0.0.1:${port}/coins`
  }

  it('lists confirmed coins by the hash of the script', async () => {
    const unconfirmed = { ...COIN, status: { confirmed: false } }
    expect(await lookUp(await start(200, [COIN, unconfirmed]))).toEqual(ONE)
  })

  it('lists at most a thousand coins', async () => {
    const { coins, isComplete } = await lookUp(await start(200, many(COIN)))
    expect([coins.length, isComplete]).toEqual([1000, false])
  })

  it('does not list an address with four megabytes of coins', async () => {
    const url = await start(
      200,
      Array.from({ length: 40_000 }, () => COIN),
    )
    expect(await lookUp(url)).toEqual({ coins: [], isComplete: false })
  })

  it.each(['Too many history entries', 'Too many unspent transaction outputs (>500)'])(
    'does not list an address with "%s"',
    async (text) => expect(await lookUp(await start(400, text))).toEqual({ coins: [], isComplete: false }),
  )

  it.each<[string, number, unknown, unknown?]>([
    ['another refusal', 400, 'Invalid hash'],
    ['an error page', 502, '<html>'],
    ['text instead of a list', 200, 'ok'],
    ['a coin without a value', 200, [{ ...COIN, value: null }]],
    ['a txid in upper case', 200, [{ ...COIN, txid: TXID.toUpperCase() }]],
    ['no height', 200, [COIN], '<html>'],
    ['a height of more than four megabytes', 200, [COIN], '1'.repeat(5_000_000)],
    ['an old tip', 200, [COIN], TIP - 7],
  ])('fails with %s', async (_, status, answer, tip) => {
    await expect(lookUp(await start(status, answer, tip))).rejects.toMatchObject(UNAVAILABLE)
  })
})
