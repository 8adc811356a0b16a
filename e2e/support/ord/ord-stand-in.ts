import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { buildRevealScript } from '@ordbook/bitcoin/envelope.ts'
import { hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import { encode } from 'cborg'
import { integerIn, readCommand } from '../../../scripts/command.ts'

/**
 * A fake ord server for load tests: `node ord-stand-in.ts INSCRIPTIONS HEIGHT HASH [NODE]`. Serves generated inscriptions in the format of
 * ord 0.29 (`src/api.rs`). Each is in a separate output, all in one block. At the path /node it is a node with a transaction index that has
 * the reveals, and passes other calls to the node at the URL NODE. Prints its URL.
 */
const USAGE = 'usage: node e2e/support/ord/ord-stand-in.ts INSCRIPTIONS HEIGHT HASH [NODE]'
const [count, tip, blockHash, nodeUrl] = readCommand(USAGE, { allowPositionals: true }).positionals
const INSCRIPTIONS = integerIn(count, 'INSCRIPTIONS', 1, 10_000_000)
const HEIGHT = integerIn(tip, 'HEIGHT', 1, 10_000_000)

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const HELD = 5

/** Returns the reveal of an inscription in hex. Its txid is another one, which the adopter does not check. */
function revealOf(n: number): string {
  const script = buildRevealScript(new Uint8Array(32), [
    {
      contentType: 'text/plain;charset=utf-8',
      body: new Uint8Array(200),
      properties: encode(
        new Map([
          [
            1,
            new Map<number, unknown>([
              [0, `Piece ${n}`],
              [
                1,
                new Map<string, unknown>([
                  ['Hat', `hat ${n % 50}`],
                  ['Level', n % 9],
                ]),
              ],
            ]),
          ],
        ]),
      ),
    },
  ])
  const empty = new Uint8Array()
  const input = {
    txid: hashOf(`commit ${n}`),
    vout: 0,
    scriptSig: empty,
    sequence: 0,
    witness: [script, script],
  }
  const output = { valueSats: 10_000, script: empty }
  return hexOfTransaction({ version: 2, inputs: [input], outputs: [output], locktime: 0 })
}

const reveals = new Map<string, number>()
const answers = new Map<string, string>()
for (let n = 0; n < INSCRIPTIONS; n++) {
  const id = `${hashOf(`inscription ${n}`)}i0`
  const outpoint = `${hashOf(`place ${n}`)}:0`
  reveals.set(id.slice(0, 64), n)
  answers.set(
    id,
    JSON.stringify({
      address: null,
      charms: [],
      child_count: 0,
      children: [],
      content_length: 200,
      content_type: 'text/plain;charset=utf-8',
      fee: 322,
      height: 1 + (n % HEIGHT),
      id,
      next: null,
      number: n,
      parents: [],
      previous: null,
      rune: null,
      sat: 1_000_000 + n * 7,
      satpoint: `${outpoint}:0`,
      timestamp: 1_700_000_000 + n,
      value: 10_000,
    }),
  )
  answers.set(
    outpoint,
    JSON.stringify({
      address: null,
      confirmations: 10,
      indexed: true,
      inscriptions: [id],
      outpoint,
      runes: {},
      sat_ranges: [[1_000_000 + n * 7, 1_010_000 + n * 7]],
      script_pubkey: `5120${hashOf(`owner ${Math.floor(n / HELD)}`)}`,
      spent: false,
      transaction: outpoint.slice(0, 64),
      value: 10_000,
    }),
  )
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': status === 200 ? 'application/json' : 'text/plain' }).end(text)
}

/** Responds with all requested entries or, like ord, with 404 if one is missing. */
function answerEach(response: ServerResponse, kind: 'inscription' | 'output', body: string): void {
  const found: string[] = []
  for (const key of JSON.parse(body) as string[]) {
    const one = answers.get(key)
    if (one === undefined) {
      answer(response, 404, `${kind} ${key} not found`)
      return
    }
    found.push(one)
  }
  answer(response, 200, `[${found.join(',')}]`)
}

const counters = {
  height: HEIGHT,
  inscriptions: INSCRIPTIONS,
  blessed_inscriptions: INSCRIPTIONS,
  cursed_inscriptions: 0,
  lost_sats: 0,
  inscription_index: true,
  sat_index: true,
  address_index: true,
  rune_index: true,
  unrecoverably_reorged: false,
}

interface Call {
  id: unknown
  method: string
  params: string[]
}

async function answerCalls(response: ServerResponse, body: string): Promise<void> {
  const calls = JSON.parse(body) as Call | Call[]
  if (Array.isArray(calls) && calls.every(({ method }) => method === 'getrawtransaction')) {
    const results = calls.map(({ id, params: [txid] }) => {
      const n = reveals.get(txid!)
      const error = { code: -5, message: 'No such mempool or blockchain transaction.' }
      return n === undefined ? { id, result: null, error } : { id, result: revealOf(n), error: null }
    })
    return answer(response, 200, JSON.stringify(results))
  }
  const { username, password, href } = new URL(nodeUrl!)
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const url = href.replace(`${username}:${password}@`, '')
  const found = await fetch(url, { method: 'POST', body, headers: { authorization } })
  answer(response, found.status, await found.text())
}

const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  if (request.url === '/node') return answerCalls(response, body)
  if (request.url === '/status') return answer(response, 200, JSON.stringify(counters))
  if (request.url === '/r/blockheight') return answer(response, 200, String(HEIGHT))
  if (request.url === `/r/blockhash/${HEIGHT}`) return answer(response, 200, JSON.stringify(blockHash))
  const reveal = reveals.get(/^\/r\/tx\/(.*)$/.exec(request.url!)?.[1] ?? '')
  if (reveal !== undefined) return answer(response, 200, JSON.stringify(revealOf(reveal)))
  if (request.url === '/inscriptions') return answerEach(response, 'inscription', body)
  if (request.url === '/outputs') return answerEach(response, 'output', body)
  answer(response, 404, 'not found')
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as { port: number }).port}`),
)
