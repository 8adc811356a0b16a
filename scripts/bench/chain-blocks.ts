import { hash } from 'node:crypto'
import { buildRevealScript, type NewInscription } from '@ordbook/bitcoin/envelope.ts'
import { heightPush } from '@ordbook/devnet/block.ts'

/** Spent by two pushes with the sizes of a signature and a key, so that blocks have a realistic size without signatures. */
const POOL = lockOf(Buffer.of(0x6d, 0x51))
/** The same for 1,000 wallets, which own the inscriptions. */
const WALLETS = Array.from({ length: 1000 }, (_, n) =>
  lockOf(Buffer.of(0x02, n & 0xff, 0x80 | (n >> 8), 0x75, 0x6d, 0x51)),
)
export const POOL_SCRIPT = POOL.script
const SIGNATURE = Buffer.alloc(71, 1)
const KEY = Buffer.alloc(33, 2)
const SEQUENCE = 0xfffffffd
const DUST = 330
const PARENT_SATS = 10_000
const BODY_BYTES = 200

interface Lock {
  witnessScript: Buffer
  script: Buffer
}

export interface ChainCoin {
  /** In serialization order. */
  txid: Uint8Array
  vout: number
  valueSats: number
}

interface Output {
  valueSats: number
  script: Uint8Array
}

/** What a transaction does besides spending two coins of the pool and returning two. */
interface Part {
  /** Spends and returns the parent inscription. */
  parent: boolean
  /** Inscribes: in the pool's coin, in the parent's, or in an additional output. */
  reveal: 'pool' | 'parent' | 'item' | null
  /** Moves the inscription of an earlier transaction in the previous block to another wallet. */
  moves: number | null
  /** Pays a script that is used once and never spent. */
  pays: boolean
  contentType: string
}

export interface Mix {
  feeSats: number
  /** The pool's coins change places by this number in each block. */
  shift: number
  part(block: number, at: number): Part
}

const PLAIN: Part = { parent: false, reveal: null, moves: null, pays: false, contentType: 'text/plain' }

/** Every twentieth transaction inscribes, and another twentieth moves inscriptions of the previous block. */
export const SIMPLE: Mix = {
  feeSats: 600,
  shift: 0,
  part: (block, at) => (at % 20 === 0 && block % 2 === 0 ? { ...PLAIN, reveal: 'pool' } : PLAIN),
}

/** Content type of the inscriptions of `MARKET` that are imported as a collection. */
export const IMPORTED_TYPE = 'text/html'

/**
 * One transaction in `every` inscribes. A twentieth of the inscriptions has a parent, and another has `IMPORTED_TYPE`. Half of the
 * inscriptions move once. A fifth of the transactions adds a coin that is never spent.
 */
export const market = (every: number): Mix => ({
  feeSats: 50,
  shift: 7,
  part(block, at) {
    if (block === 0 && at === 0) return { ...PLAIN, reveal: 'parent' }
    const pays = at % 5 === 2
    if (at % every === 0) {
      const nth = at / every
      const parent = nth % 20 === 0
      const contentType = nth % 20 === 1 ? IMPORTED_TYPE : PLAIN.contentType
      return { parent, reveal: 'item', moves: null, pays, contentType }
    }
    const moved = at - (every >> 1)
    const isMove = block > 0 && moved >= 0 && moved % (2 * every) === 0 && (block > 1 || moved > 0)
    return { ...PLAIN, moves: isMove ? moved : null, pays }
  },
})

function lockOf(witnessScript: Buffer): Lock {
  return {
    witnessScript,
    script: Buffer.concat([Buffer.of(0x00, 0x20), hash('sha256', witnessScript, 'buffer')]),
  }
}

const sha256d = (bytes: Uint8Array): Buffer => hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer')

const SCRATCH = Buffer.allocUnsafe(1_000_000)

const walletOf = (block: number, at: number) => WALLETS[(block * 31 + at) % WALLETS.length]!

/** Writes transactions into one buffer, and keeps their hashes. */
export class BlockWriter {
  readonly txids: Buffer[] = []
  readonly wtxids: Buffer[] = []
  private readonly buffer: Buffer
  private at = 0

  constructor(bytes = 4_100_000) {
    this.buffer = Buffer.allocUnsafe(bytes)
  }

  /** Adds a transaction, and returns its txid. */
  add(inputs: readonly [ChainCoin, Lock, Uint8Array?][], outputs: readonly Output[]): Buffer {
    const { buffer } = this
    const scratch = SCRATCH
    let at = scratch.writeUInt32LE(2, 0)
    at = writeSize(scratch, inputs.length, at)
    for (const [{ txid, vout }] of inputs) {
      scratch.set(txid, at)
      at = scratch.writeUInt32LE(vout, at + 32)
      scratch[at] = 0
      at = scratch.writeUInt32LE(SEQUENCE, at + 1)
    }
    at = writeSize(scratch, outputs.length, at)
    for (const { valueSats, script } of outputs) {
      at = scratch.writeBigUInt64LE(BigInt(valueSats), at)
      scratch[at] = script.length
      scratch.set(script, at + 1)
      at += 1 + script.length
    }
    const body = at
    at = scratch.writeUInt32LE(0, at)
    const txid = sha256d(scratch.subarray(0, at))
    const began = this.at
    scratch.copy(buffer, began, 0, 4)
    let end = buffer.writeUInt16LE(0x0100, began + 4)
    end += scratch.copy(buffer, end, 4, body)
    for (const [, { witnessScript }, envelope] of inputs) {
      buffer[end++] = 3
      for (const item of [SIGNATURE, envelope ?? KEY, witnessScript]) {
        end = writeSize(buffer, item.length, end)
        buffer.set(item, end)
        end += item.length
      }
    }
    this.at = buffer.writeUInt32LE(0, end)
    this.txids.push(txid)
    this.wtxids.push(sha256d(buffer.subarray(began, this.at)))
    return txid
  }

  get bytes(): Buffer {
    return this.buffer.subarray(0, this.at)
  }
}

function writeSize(buffer: Buffer, size: number, at: number): number {
  if (size < 253) return buffer.writeUInt8(size, at)
  return buffer.writeUInt16LE(size, buffer.writeUInt8(253, at))
}

/** Coins of the last block, which the next block spends. */
export interface ChainState {
  pool: ChainCoin[]
  /** The parent inscription's coin and id. */
  parent: ChainCoin | null
  parentId: string | null
  /** Inscribed coins of the previous block with their wallets, by place. */
  items: Map<number, [ChainCoin, Lock]>
}

interface MadeBlock {
  writer: BlockWriter
  next: ChainState
}

const idOf = (txid: Uint8Array) => `${Buffer.from(txid).reverse().toString('hex')}i0`

/** Makes the transactions of a full block. */
export function makeBlock(block: number, mix: Mix, { pool, parent, parentId, items }: ChainState): MadeBlock {
  const writer = new BlockWriter()
  const next: ChainState = { pool: [], parent, parentId, items: new Map() }
  const coinAt = (at: number) => pool[(at + block * mix.shift) % pool.length]!
  for (let at = 0; 2 * at < pool.length; at++) {
    const part = mix.part(block, at)
    const pair = [coinAt(2 * at), coinAt(2 * at + 1)] as const
    const envelope = part.reveal ? envelopeOf(block, at, part, next.parentId) : undefined
    const item = part.moves === null ? undefined : items.get(part.moves)!
    const inputs: [ChainCoin, Lock, Uint8Array?][] = [
      [pair[0], POOL, envelope],
      [pair[1], POOL],
    ]
    if (item) inputs.unshift(item)
    if (part.parent) inputs.unshift([next.parent!, POOL])
    let left = pair[0].valueSats + pair[1].valueSats - mix.feeSats
    const outputs: Output[] = []
    if (part.parent || part.reveal === 'parent') outputs.push({ valueSats: PARENT_SATS, script: POOL.script })
    if (part.reveal === 'parent') left -= PARENT_SATS
    if (part.reveal === 'item' || item) outputs.push({ valueSats: DUST, script: walletOf(block, at).script })
    if (part.reveal === 'item') left -= DUST
    const once = { valueSats: DUST, script: onceScript(block, at) }
    if (part.pays) left -= DUST
    const half = left >> 1
    outputs.push({ valueSats: half, script: POOL.script }, { valueSats: left - half, script: POOL.script })
    if (part.pays) outputs.push(once)
    keepOutputs(block, at, part, { txid: writer.add(inputs, outputs), outputs }, next)
  }
  return { writer, next }
}

/** Adds the outputs of a transaction that the next block spends. */
export function keepOutputs(
  block: number,
  at: number,
  part: Part,
  { txid, outputs }: { txid: Uint8Array; outputs: readonly { valueSats: number }[] },
  next: ChainState,
): void {
  const coinAt = (vout: number): ChainCoin => ({ txid, vout, valueSats: outputs[vout]!.valueSats })
  let vout = 0
  if (part.parent || part.reveal === 'parent') next.parent = coinAt(vout++)
  if (part.reveal === 'parent') next.parentId = idOf(txid)
  if (part.reveal === 'item') next.items.set(at, [coinAt(vout), walletOf(block, at)])
  if (part.reveal === 'item' || part.moves !== null) vout++
  next.pool.push(coinAt(vout), coinAt(vout + 1))
}

function onceScript(block: number, at: number): Buffer {
  return Buffer.concat([Buffer.of(0x51, 0x20), hash('sha256', `once ${block}/${at}`, 'buffer')])
}

function envelopeOf(
  block: number,
  at: number,
  { parent, contentType }: Part,
  parentId: string | null,
): Buffer {
  const seed = hash('sha256', `${block}/${at}`, 'hex')
  const inscription: NewInscription = {
    contentType,
    body: Buffer.from(seed.repeat(4)).subarray(0, BODY_BYTES),
  }
  if (parent) inscription.parents = [parentId!]
  return Buffer.from(buildRevealScript(KEY.subarray(1), [inscription]))
}

const SPLIT_FEE_SATS = 4000

/** Adds a transaction that splits a coin of the pool. Returns its coins. */
export function addSplit(writer: BlockWriter, coin: ChainCoin, parts: number): ChainCoin[] {
  const valueSats = Math.floor((coin.valueSats - SPLIT_FEE_SATS) / parts)
  const txid = writer.add([[coin, POOL]], Array(parts).fill({ valueSats, script: POOL.script }))
  return Array.from({ length: parts }, (_, vout) => ({ txid, vout, valueSats }))
}

/** Returns a serialized transaction that spends a coin of the pool and pays a wallet. */
export function paymentOf(coin: ChainCoin, nth: number, feeSats: number): Buffer {
  const writer = new BlockWriter(1000)
  writer.add(
    [[coin, POOL]],
    [
      { valueSats: 1000, script: walletOf(0, nth).script },
      { valueSats: coin.valueSats - 1000 - feeSats, script: POOL.script },
    ],
  )
  return writer.bytes
}

/** Returns the witness that spends a script of the pool or a wallet. */
export function witnessOf(script: Uint8Array): Uint8Array[] {
  const lock = [POOL, ...WALLETS].find((each) => each.script.equals(script))!
  return [SIGNATURE, KEY, lock.witnessScript]
}

/** Returns a block with a coinbase that pays `script`, on top of `previous`. */
export function blockBytes(
  writer: BlockWriter,
  {
    previous,
    height,
    time,
    script,
  }: { previous: Uint8Array; height: number; time: number; script: Uint8Array },
): { bytes: Buffer; hash: Buffer } {
  const commitment = sha256d(
    Buffer.concat([merkleRoot([Buffer.alloc(32), ...writer.wtxids]), Buffer.alloc(32)]),
  )
  const coinbase = encodeCoinbase(height, [
    { valueSats: 0, script },
    { valueSats: 0, script: Buffer.concat([Buffer.from('6a24aa21a9ed', 'hex'), commitment]) },
  ])
  const header = Buffer.alloc(80)
  header.writeUInt32LE(0x20000000, 0)
  header.set(previous, 4)
  header.set(merkleRoot([sha256d(coinbase.stripped), ...writer.txids]), 36)
  header.writeUInt32LE(time, 68)
  header.writeUInt32LE(REGTEST_BITS, 72)
  let blockHash = sha256d(header)
  for (let nonce = 1; blockHash[31]! >= 0x80; nonce++) {
    header.writeUInt32LE(nonce, 76)
    blockHash = sha256d(header)
  }
  const count = Buffer.alloc(3)
  const size = count.subarray(0, writeSize(count, writer.txids.length + 1, 0))
  return { bytes: Buffer.concat([header, size, coinbase.full, writer.bytes]), hash: blockHash }
}

const REGTEST_BITS = 0x207fffff

function encodeCoinbase(height: number, outputs: readonly Output[]): { full: Buffer; stripped: Buffer } {
  const push = heightPush(height)
  const body = Buffer.concat([
    Buffer.of(1),
    Buffer.alloc(32),
    Buffer.alloc(4, 0xff),
    Buffer.of(push.length),
    push,
    Buffer.alloc(4, 0xff),
    Buffer.of(outputs.length),
    ...outputs.map(({ valueSats, script }) => {
      const value = Buffer.alloc(8)
      value.writeBigUInt64LE(BigInt(valueSats))
      return Buffer.concat([value, Buffer.of(script.length), script])
    }),
  ])
  const version = Buffer.of(2, 0, 0, 0)
  const locktime = Buffer.alloc(4)
  return {
    stripped: Buffer.concat([version, body, locktime]),
    full: Buffer.concat([version, Buffer.of(0, 1), body, Buffer.of(1, 32), Buffer.alloc(32), locktime]),
  }
}

function merkleRoot(hashes: readonly Uint8Array[]): Buffer {
  let level = hashes
  while (level.length > 1)
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, n) =>
      sha256d(Buffer.concat([level[2 * n]!, level[2 * n + 1] ?? level[2 * n]!])),
    )
  return Buffer.from(level[0]!)
}
