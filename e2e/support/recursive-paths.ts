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
  `/r/utxo/${'0'.repeat(64)}:4294967296`,
  '/r/sat/x',
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

/** Recursive paths of all indexed blocks, inscriptions, sats, outputs and reveals. */
export async function recursivePathsOf(sql: Sql): Promise<string[]> {
  const blocks = await sql<{ height: number; blockHash: string }[]>`
    select height, block_hash from blocks order by height`
  const inscriptions = await sql<
    { inscriptionId: string; sat: number | null; txid: string; vout: number }[]
  >`select inscription_id, sat, txid, vout from inscriptions order by sequence`
  const paths = [
    ...ALWAYS,
    ...blocks.flatMap(({ height, blockHash }) => [
      `/r/blockhash/${height}`,
      `/r/blockinfo/${height}`,
      `/r/blockinfo/${blockHash}`,
      `/r/block/${height}`,
      `/r/block/${blockHash}`,
    ]),
    ...inscriptions.flatMap(({ inscriptionId, sat, txid, vout }) => [
      // ord returns 404 for a lost inscription, because its transaction does not exist.
      ...(vout === 0xffffffff ? [] : [`/r/inscription/${inscriptionId}`, `/r/utxo/${txid}:${vout}`]),
      `/r/metadata/${inscriptionId}`,
      `/r/children/${inscriptionId}`,
      `/r/children/${inscriptionId}/1`,
      `/r/children/${inscriptionId}/inscriptions`,
      `/r/parents/${inscriptionId}`,
      `/r/parents/${inscriptionId}/1`,
      `/r/parents/${inscriptionId}/inscriptions`,
      `/r/tx/${inscriptionId.slice(0, 64)}`,
      ...(sat === null ? [] : [`/r/sat/${sat}`, `/r/sat/${sat}/at/0`, `/r/sat/${sat}/at/-1`]),
    ]),
  ]
  return [...new Set(paths)]
}

/** Returns a response's status and normalised body for comparison. Omits the bodies of errors. */
export async function answerAt(origin: string, path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(new URL(path, origin), { headers: { accept: 'application/json' } })
  const text = await response.text()
  if (!response.ok) return { status: response.status, body: null }
  try {
    const body = JSON.parse(text)
    // ord rounds this value differently.
    if (body?.difficulty) body.difficulty = Number(body.difficulty.toPrecision(12))
    return { status: response.status, body }
  } catch {
    return { status: response.status, body: text }
  }
}
