import { closeSync, openSync, writeSync } from 'node:fs'
import { DumpReader } from '@ordbook/indexer/utxos/dump-reader.ts'

/** Coins that are made from their numbers alone, so that a coin can be made again when it is spent. The newest has the highest number. */
export const PER_BLOCK = { made: 7500, spent: 7000 }
export const BASE = { height: 900_000, hash: '09'.repeat(32) }

const BLOCKS_A_DAY = 144
const DAYS_A_QUARTER = 90
const FIRST_WALLET = 3000
const FIRST_USED_ONCE = 1_000_000_000

function mix(x: number): number {
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}

/** Number of a coin's script: 45 % are used once, 45 % are wallets, 9.5 % are 2,000 busy ones, 0.5 % are an exchange. */
function scriptNumberOf(n: number, wallets: number): number {
  const u = mix(n * 3 + 7) / 2 ** 32
  const v = mix(n * 5 + 11) / 2 ** 32
  if (u < 0.005) return 0
  if (u < 0.1) return 1 + Math.floor(2000 * v * v)
  if (u < 0.55) return FIRST_WALLET + Math.floor(wallets * v * v * v)
  return FIRST_USED_ONCE + n
}

function noise(seed: number, bytes: Buffer): Buffer {
  for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32BE(mix(seed + at * 0x9e3779b1), at)
  return bytes
}

function taprootScript(number: number): Buffer {
  const script = Buffer.allocUnsafe(34)
  script.writeUInt16BE(0x5120)
  noise(mix(number ^ 0x5bd1e995), script.subarray(2))
  return script
}

/** Two coins share a transaction. */
const txidOf = (n: number) => noise(mix((n >>> 1) ^ 0x2545f491), Buffer.allocUnsafe(32))

function satsOf(n: number): number {
  const u = mix(n ^ 0x27d4eb2f)
  if (u % 100 < 49) return u & 1 ? 546 : 330
  return 1000 + (u >>> (u % 20))
}

interface Output {
  valueSats: number
  script: Buffer
}

/** The parts of a transaction in a block that change the UTXO set. */
interface MadeTransaction {
  hash: Buffer
  txid: string
  outputs: Output[]
  outpoints: { txid: string; vout: number }[]
  prevouts: Output[]
}

/** The chain after a set of `count` coins. */
export class MadeChain {
  readonly count: number
  private readonly wallets: number
  private next: number
  private readonly isSpent: Uint8Array
  private seed = 12345

  constructor(count: number, blocks: number) {
    this.count = count
    this.wallets = Math.max(1000, count >>> 2)
    this.next = count
    this.isSpent = new Uint8Array(count + blocks * PER_BLOCK.made)
  }

  /** Returns the script of a wallet. */
  walletScript(nth: number): Buffer {
    return taprootScript(FIRST_WALLET + ((nth * 104_729) % (this.wallets >>> 1)))
  }

  private outputOf(n: number): Output {
    return { valueSats: satsOf(n), script: taprootScript(scriptNumberOf(n, this.wallets)) }
  }

  /** Makes a block. Ages of spent coins: 35 % are of the last 6 blocks, 25 % of a day, 20 % of a quarter, 20 % of any age. */
  block(): MadeTransaction[] {
    const spent = Array.from({ length: PER_BLOCK.spent }, () => this.spendOne())
    const count = PER_BLOCK.made / 2
    return Array.from({ length: count }, (_, i) => {
      const hash = txidOf(this.next)
      const outputs = [this.outputOf(this.next++), this.outputOf(this.next++)]
      const inputs = spent.slice(
        Math.floor((i * spent.length) / count),
        Math.floor(((i + 1) * spent.length) / count),
      )
      return {
        hash,
        txid: displayed(hash),
        outputs,
        outpoints: inputs.map((n) => ({ txid: displayed(txidOf(n)), vout: n & 1 })),
        prevouts: inputs.map((n) => this.outputOf(n)),
      }
    })
  }

  private spendOne(): number {
    const u = this.random()
    const day = BLOCKS_A_DAY * PER_BLOCK.made
    const span = u < 0.35 ? 6 * PER_BLOCK.made : u < 0.6 ? day : u < 0.8 ? day * DAYS_A_QUARTER : this.next
    let n = this.next - 1 - Math.floor(this.random() * Math.min(span, this.next))
    while (this.isSpent[n]) n = n === 0 ? this.next - 1 : n - 1
    this.isSpent[n] = 1
    return n
  }

  private random(): number {
    this.seed = (Math.imul(this.seed, 1664525) + 1013904223) >>> 0
    return mix(this.seed) / 2 ** 32
  }

  /** Writes the coins as Core's `dumptxoutset` does, in an order without relation to their age. Returns the hash of the set. */
  writeDump(path: string): string {
    const file = openSync(path, 'w')
    const reader = new DumpReader(() => {})
    const buffer = Buffer.allocUnsafe(2 ** 20)
    let at = buffer.write('utxo\xff', 0, 'latin1')
    at = buffer.writeUInt16LE(2, at)
    at += buffer.write('fabfb5da', at, 'hex')
    at += buffer.write(BASE.hash, at, 'hex')
    at = buffer.writeBigUInt64LE(BigInt(this.count), at)
    const flush = () => {
      writeSync(file, buffer, 0, at)
      reader.push(buffer.subarray(0, at))
      at = 0
    }
    const pairs = this.count / 2
    for (let i = 0; i < pairs; i++) {
      if (at > buffer.length - 1000) flush()
      const pair = (i * STRIDE) % pairs
      at += txidOf(2 * pair).copy(buffer, at)
      buffer[at++] = 2
      for (const vout of [0, 1]) {
        const { valueSats, script } = this.outputOf(2 * pair + vout)
        buffer[at++] = vout
        at = writeVarInt(buffer, 2 * (100_000 + (pair % 700_000)), at)
        at = writeVarInt(buffer, compressAmount(valueSats), at)
        at = writeVarInt(buffer, script.length + 6, at)
        at += script.copy(buffer, at)
      }
    }
    flush()
    closeSync(file)
    return reader.finish().setHash
  }
}

/** A prime. */
const STRIDE = 15_485_863

const displayed = (hash: Buffer) => Buffer.from(hash).reverse().toString('hex')

/** Core's VARINT: seven bits a byte, one subtracted for each continuation. */
function writeVarInt(buffer: Buffer, value: number, at: number): number {
  const bytes = [value % 128]
  for (let rest = value; rest >= 128; ) {
    rest = Math.floor(rest / 128) - 1
    bytes.unshift((rest % 128) | 0x80)
  }
  for (const byte of bytes) buffer[at++] = byte
  return at
}

/** Core's `CompressAmount`, for amounts above 0. */
function compressAmount(valueSats: number): number {
  let [exponent, rest] = [0, valueSats]
  for (; rest % 10 === 0 && exponent < 9; exponent++) rest /= 10
  if (exponent === 9) return 1 + (rest - 1) * 10 + 9
  return 1 + (Math.floor(rest / 10) * 9 + (rest % 10) - 1) * 10 + exponent
}
