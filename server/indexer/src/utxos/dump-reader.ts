import { createHash, ECDH } from 'node:crypto'

/** A coin of a dump. Reading the next coin overwrites the object and its buffers. */
export interface DumpedCoin {
  /** In serialization order. */
  txid: Uint8Array
  vout: number
  height: number
  isCoinbase: boolean
  valueSats: number
  script: Uint8Array
}

export interface DumpHeader {
  blockHash: string
  coins: number
}

/** The dump is damaged, incomplete, or of another chain or version. */
export class DumpError extends Error {
  /** Whether the node writes another format. */
  isVersion = false
}

function otherFormat(message: string): DumpError {
  return Object.assign(new DumpError(message), { isVersion: true })
}

const MAGIC = Buffer.from('utxo\xff', 'latin1')
const VERSION = 2
/** Magic, version, network, block hash, number of coins. */
const HEADER_BYTES = 51
const MAX_SCRIPT_BYTES = 10_000
/** Above the size of a coin with the head of its transaction, so that a coin never crosses the end of the buffer. */
const MAX_COIN_BYTES = MAX_SCRIPT_BYTES + 100
/** An amount has ten times as many compressed as sats, unless it ends in zeros. */
const MAX_NUMBER = Number.MAX_SAFE_INTEGER
const MAX_VOUT = 2 ** 32 - 1

/** Templates of compressed scripts, with the offset of their hash or key (Core, `compressor.h`). */
const TEMPLATES = [
  { script: Buffer.from(`76a914${'00'.repeat(20)}88ac`, 'hex'), at: 3, bytes: 20 },
  { script: Buffer.from(`a914${'00'.repeat(20)}87`, 'hex'), at: 2, bytes: 20 },
  { script: Buffer.from(`2102${'00'.repeat(32)}ac`, 'hex'), at: 2, bytes: 32 },
  { script: Buffer.from(`2103${'00'.repeat(32)}ac`, 'hex'), at: 2, bytes: 32 },
]
/** Compressed scripts with an uncompressed key: 4 and 5. Larger numbers are 6 more than the length of a script. */
const FIRST_UNCOMPRESSED = 4
const FIRST_RAW = 6

/** Reads the file of Core's `dumptxoutset` (version 2, since Core 28) in pieces, and computes Core's `hash_serialized_3` of its coins. */
export class DumpReader {
  header: DumpHeader | null = null
  coins = 0
  private buffer = Buffer.alloc(0)
  private at = 0
  private end = 0
  /** Coins of the current transaction that follow. */
  private inTransaction = 0
  private readonly hash = new SetHash()
  private readonly onCoin: (coin: DumpedCoin) => void
  private readonly coin: DumpedCoin = {
    txid: new Uint8Array(32),
    vout: 0,
    height: 0,
    isCoinbase: false,
    valueSats: 0,
    script: new Uint8Array(),
  }

  constructor(onCoin: (coin: DumpedCoin) => void) {
    this.onCoin = onCoin
  }

  /** Reads the next piece, and calls `onCoin` for each coin that is complete. Throws DumpError. */
  push(piece: Uint8Array): void {
    this.buffer = Buffer.concat([this.buffer.subarray(this.at, this.end), piece])
    this.at = 0
    this.end = this.buffer.length
    if (!this.header) {
      if (this.end < HEADER_BYTES) return
      this.header = this.readHeader()
    }
    while (this.coins < this.header.coins && this.end - this.at >= MAX_COIN_BYTES) this.readCoin()
    if (this.coins === this.header.coins && this.at < this.end)
      throw new DumpError('bytes follow the last coin')
  }

  /** Reads the last coins. Returns the header and the hash as Core prints it. Throws DumpError. */
  finish(): DumpHeader & { setHash: string } {
    const { header } = this
    if (!header) throw new DumpError('the dump ends in its header')
    // Zeros instead of bytes past the end.
    this.buffer = Buffer.concat([this.buffer.subarray(this.at, this.end), Buffer.alloc(MAX_COIN_BYTES)])
    this.at = 0
    this.end = this.buffer.length - MAX_COIN_BYTES
    while (this.coins < header.coins) {
      if (this.at >= this.end)
        throw new DumpError(`the dump ends after ${this.coins} of ${header.coins} coins`)
      this.readCoin()
    }
    if (this.at !== this.end) throw new DumpError('bytes follow the last coin')
    if (this.inTransaction > 0) throw new DumpError('coins of the last transaction are missing')
    return { ...header, setHash: this.hash.digest() }
  }

  private readHeader(): DumpHeader {
    const { buffer } = this
    if (!buffer.subarray(0, MAGIC.length).equals(MAGIC))
      throw otherFormat('not a dump of dumptxoutset of Bitcoin Core 28 or later')
    const version = buffer.readUInt16LE(5)
    if (version !== VERSION) throw otherFormat(`a dump of version ${version}, expected ${VERSION}`)
    const coins = buffer.readBigUInt64LE(43)
    if (coins > MAX_NUMBER) throw new DumpError(`a dump of ${coins} coins`)
    this.at = HEADER_BYTES
    return {
      blockHash: Buffer.from(buffer.subarray(11, 43)).reverse().toString('hex'),
      coins: Number(coins),
    }
  }

  private readCoin(): void {
    const { buffer, coin } = this
    if (this.inTransaction === 0) {
      coin.txid.set(buffer.subarray(this.at, this.at + 32))
      this.at += 32
      this.inTransaction = this.compactSize()
      this.assertWithin()
      if (this.inTransaction === 0) throw new DumpError('a transaction has no coins')
    }
    this.inTransaction--
    coin.vout = this.compactSize()
    const code = this.varInt()
    coin.height = Math.floor(code / 2)
    coin.isCoinbase = code % 2 === 1
    if (coin.vout > MAX_VOUT || coin.height >= 2 ** 31) throw new DumpError('a number is too large')
    coin.valueSats = decompressAmount(this.varInt())
    coin.script = this.script()
    this.assertWithin()
    this.coins++
    this.hash.add(coin)
    this.onCoin(coin)
  }

  private assertWithin(): void {
    if (this.at > this.end) throw new DumpError(`the dump ends in coin ${this.coins + 1}`)
  }

  /** Core's VARINT: seven bits a byte, one added for each continuation. */
  private varInt(): number {
    for (let n = 0; ; n++) {
      const byte = this.buffer[this.at++]!
      n = n * 128 + (byte & 0x7f)
      if (n > MAX_NUMBER) throw new DumpError('a number is too large')
      if (byte < 0x80) return n
    }
  }

  private compactSize(): number {
    const first = this.buffer[this.at++]!
    if (first < 253) return first
    const bytes = first === 253 ? 2 : 4
    if (first === 255) throw new DumpError('a number is too large')
    this.at += bytes
    return this.buffer.readUIntLE(this.at - bytes, bytes)
  }

  private script(): Uint8Array {
    const kind = this.varInt()
    if (kind >= FIRST_RAW) {
      const length = kind - FIRST_RAW
      if (length > MAX_SCRIPT_BYTES) throw new DumpError('a script is too long')
      this.at += length
      return this.buffer.subarray(this.at - length, this.at)
    }
    if (kind >= FIRST_UNCOMPRESSED) {
      this.at += 32
      return payToUncompressed(kind - 2, this.buffer.subarray(this.at - 32, this.at))
    }
    const { script, at, bytes } = TEMPLATES[kind]!
    this.buffer.copy(script, at, this.at, this.at + bytes)
    this.at += bytes
    return script
  }
}

/** Returns the script of an uncompressed key, of which Core stores x and the parity of y. */
function payToUncompressed(parity: number, x: Uint8Array): Uint8Array {
  try {
    const compressed = Buffer.concat([Uint8Array.of(parity), x])
    const key = ECDH.convertKey(compressed, 'secp256k1', undefined, undefined, 'uncompressed')
    return Buffer.concat([Uint8Array.of(65), key as Buffer, Uint8Array.of(0xac)])
  } catch (cause) {
    throw new DumpError('a key is not on the curve', { cause })
  }
}

/** Core's `DecompressAmount`. */
export function decompressAmount(compressed: number): number {
  if (compressed === 0) return 0
  const exponent = (compressed - 1) % 10
  const rest = Math.floor((compressed - 1) / 10)
  const digits = exponent < 9 ? Math.floor(rest / 9) * 10 + (rest % 9) + 1 : rest + 1
  const valueSats = digits * 10 ** exponent
  if (valueSats > 21e14) throw new DumpError('an amount is too large')
  return valueSats
}

const HASH_PART_BYTES = 2 ** 20

/** Core's `hash_serialized_3`. */
class SetHash {
  private readonly sha = createHash('sha256')
  private readonly buffer = Buffer.allocUnsafe(HASH_PART_BYTES)
  private at = 0

  add({ txid, vout, height, isCoinbase, valueSats, script }: DumpedCoin): void {
    const { buffer } = this
    if (this.at + MAX_COIN_BYTES > buffer.length) this.flush()
    buffer.set(txid, this.at)
    let at = buffer.writeUInt32LE(vout, this.at + 32)
    at = buffer.writeUInt32LE(height * 2 + (isCoinbase ? 1 : 0), at)
    at = buffer.writeUInt32LE(valueSats % 2 ** 32, at)
    at = buffer.writeUInt32LE(Math.floor(valueSats / 2 ** 32), at)
    if (script.length < 253) at = buffer.writeUInt8(script.length, at)
    else at = buffer.writeUInt16LE(script.length, buffer.writeUInt8(253, at))
    buffer.set(script, at)
    this.at = at + script.length
  }

  digest(): string {
    this.flush()
    return createHash('sha256').update(this.sha.digest()).digest().reverse().toString('hex')
  }

  private flush(): void {
    this.sha.update(this.buffer.subarray(0, this.at))
    this.at = 0
  }
}
