import { createHash } from 'node:crypto'
import * as http from 'node:http'
import * as https from 'node:https'
import type { Sql } from '@ordbook/db/driver/connect.ts'

/** Paths whose responses do not depend on the indexed inscriptions. */
const ALWAYS = [
  '/blockheight',
  '/blockhash',
  '/blocktime',
  '/blockhash/1',
  '/r/blockheight',
  '/r/blockhash',
  '/r/blocktime',
  '/r/blockhash/99999999',
  '/r/blockhash/99999999999',
  '/r/blockhash/x',
  '/r/blockinfo/99999999',
  '/r/blockinfo/x',
  `/r/blockinfo/${'0'.repeat(64)}`,
  `/r/blockinfo/${'x'.repeat(64)}`,
  '/r/block/99999999',
  `/r/block/${'0'.repeat(64)}`,
  `/r/tx/${'0'.repeat(64)}`,
  '/r/tx/4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
  '/r/tx/x',
  ...['inscription', 'metadata', 'children', 'parents'].flatMap((what) => [
    `/r/${what}/x`,
    `/r/${what}/${'0'.repeat(64)}i0`,
  ]),
  `/r/children/${'0'.repeat(64)}i0/inscriptions`,
  `/r/parents/${'0'.repeat(64)}i0/inscriptions`,
  '/r/utxo/x',
  `/r/utxo/${'0'.repeat(64)}:0`,
  `/r/utxo/${'0'.repeat(63)}1:0`,
  `/r/utxo/${'0'.repeat(64)}:4294967295`,
  `/r/utxo/${'0'.repeat(64)}:4294967296`,
  '/r/sat/x',
  '/r/sat/0/at/0/content',
  '/content/x',
  `/content/${'0'.repeat(64)}i0`,
  `/r/undelegated-content/${'0'.repeat(64)}i0`,
  '/r/sat/0',
  '/r/sat/0/0',
  '/r/sat/2099999997690000',
  ...[
    '0',
    'a',
    'zzzzzzzzzzzz',
    'A',
    '0°0′0″0‴',
    '0°1′1″0‴',
    '1°1′0″0‴',
    '0.5',
    '0.5000000000',
    '50%',
    '101%',
    '2099999997690000',
  ].flatMap((sat) => [`/r/sat/${encodeURIComponent(sat)}/at/0`, `/r/sat/${encodeURIComponent(sat)}/at/-1`]),
  '/r/sat/0/at/x',
]

/**
 * Paths of content and recursive endpoints for all indexed blocks, inscriptions, sats, outputs and reveals. A fragment is the encoding to
 * accept.
 */
export async function recursivePathsOf(sql: Sql): Promise<string[]> {
  const blocks = await sql<{ height: number; blockHash: string }[]>`
    select height, block_hash from blocks order by height`
  const inscriptions = await sql<
    {
      inscriptionId: string
      sat: number | null
      txid: string
      vout: number
      encoding: string | null
      delegateEncoding: string | null
    }[]
  >`
    select i.inscription_id, i.sat, i.txid, i.vout, i.content_encoding as encoding, d.content_encoding as delegate_encoding
    from inscriptions i left join inscription_rows d on d.inscription_id = i.delegate_id order by i.sequence`
  const accepting = (path: string, ...encodings: (string | null)[]) =>
    encodings.flatMap((encoding) =>
      encoding && /^[!-~]+$/.test(encoding) ? [`${path}#${encodeURIComponent(encoding)}`] : [],
    )
  const paths = [
    ...ALWAYS,
    ...blocks.flatMap(({ height, blockHash }) => [
      `/r/blockhash/${height}`,
      `/r/blockinfo/${height}`,
      `/r/blockinfo/${blockHash}`,
      `/r/block/${height}`,
      `/r/block/${blockHash}`,
    ]),
    ...inscriptions.flatMap(({ inscriptionId, sat, txid, vout, encoding, delegateEncoding }) => [
      `/content/${inscriptionId}`,
      ...accepting(`/content/${inscriptionId}`, encoding, delegateEncoding),
      `/r/undelegated-content/${inscriptionId}`,
      ...accepting(`/r/undelegated-content/${inscriptionId}`, encoding),
      `/r/inscription/${inscriptionId}`,
      `/r/utxo/${txid}:${vout}`,
      `/r/metadata/${inscriptionId}`,
      `/r/children/${inscriptionId}`,
      `/r/children/${inscriptionId}/1`,
      `/r/children/${inscriptionId}/inscriptions`,
      `/r/parents/${inscriptionId}`,
      `/r/parents/${inscriptionId}/1`,
      `/r/parents/${inscriptionId}/inscriptions`,
      `/r/tx/${inscriptionId.slice(0, 64)}`,
      ...(sat === null
        ? []
        : ['', '/at/0', '/at/1', '/at/-1', '/at/-1/content'].map((tail) => `/r/sat/${sat}${tail}`)),
    ]),
  ]
  return [...new Set(paths)]
}

export interface Answer {
  status: number
  body: unknown
  /** Headers of content. */
  type?: string | null
  encoding?: string | null
}

/**
 * Returns a response's status and normalised body for comparison. Omits the bodies of errors. Replaces content and long strings by their
 * length and hash.
 */
export async function answerAt(origin: string, path: string): Promise<Answer> {
  const url = new URL(path, origin)
  const encoding = decodeURIComponent(url.hash.slice(1))
  const { status, headers, bytes } = await get(url, {
    accept: 'application/json',
    ...(encoding ? { 'accept-encoding': encoding } : {}),
  })
  if (status !== 200) return { status, body: null }
  if (/(^|\/|-)content(\/|$)/.test(url.pathname))
    return {
      status,
      body: digestOf(bytes),
      type: headers['content-type'] ?? null,
      encoding: headers['content-encoding'] ?? null,
    }
  const text = bytes.toString()
  try {
    // A number would round a trait's integer.
    const exact = (_: string, value: unknown, { source }: { source?: string }) =>
      Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value
    const body = JSON.parse(text, exact as (key: string, value: unknown) => unknown)
    // ord rounds this value differently.
    if (body?.difficulty) body.difficulty = Number(body.difficulty.toPrecision(12))
    return { status, body: typeof body === 'string' && body.length > 200 ? digestOf(bytes) : body }
  } catch {
    return { status, body: text }
  }
}

const digestOf = (bytes: Buffer) =>
  `${bytes.length} bytes, ${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`

const agents = {
  'http:': new http.Agent({ keepAlive: true }),
  'https:': new https.Agent({ keepAlive: true }),
}

/** Like fetch, but does not decode the content. */
function get(url: URL, headers: Record<string, string>) {
  const protocol = url.protocol as keyof typeof agents
  const { request } = protocol === 'https:' ? https : http
  return new Promise<{ status: number; headers: http.IncomingHttpHeaders; bytes: Buffer }>(
    (resolve, reject) => {
      request(url, { headers, agent: agents[protocol], timeout: 60_000 }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(chunks) }),
        )
      })
        .on('error', reject)
        .on('timeout', function (this: http.ClientRequest) {
          this.destroy(new Error(`no response from ${url.href}`))
        })
        .end()
    },
  )
}
