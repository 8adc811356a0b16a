import { bytesToHex, compactSize, concatBytes, hexToBytes, littleEndian } from '@ordbook/bitcoin/bytes.ts'
import { sha256d } from '@ordbook/bitcoin/keys.ts'
import { readBlock } from '@ordbook/bitcoin/raw-block.ts'
import {
  decodeTransaction,
  encodeTransaction,
  type Tx,
  type TxOutput,
  txidOf,
  weightOf,
  wtxidOf,
} from '@ordbook/bitcoin/transaction.ts'

export interface Header {
  version: number
  previous: string
  merkleRoot: string
  time: number
  bits: number
  nonce: number
}

export interface Block {
  hash: string
  height: number
  header: Header
  transactions: Tx[]
}

const REGTEST_BITS = 0x207fffff

export function encodeHeader(header: Header): Uint8Array {
  return concatBytes(
    littleEndian(header.version, 4),
    hexToBytes(header.previous).reverse(),
    hexToBytes(header.merkleRoot).reverse(),
    littleEndian(header.time, 4),
    littleEndian(header.bits, 4),
    littleEndian(header.nonce, 4),
  )
}

/** Block hash in display order. */
function hashOf(header: Header): string {
  return bytesToHex(sha256d(encodeHeader(header)).reverse())
}

/** Returns whether a hash meets regtest's target: its first bit is zero. */
export function meetsTarget(hash: string): boolean {
  return Number.parseInt(hash[0]!, 16) < 8
}

/** Computes the Merkle root of hashes in display order. */
export function merkleRoot(hashes: readonly string[]): string {
  let level: Uint8Array[] = hashes.map((hash) => hexToBytes(hash).reverse())
  while (level.length > 1) {
    const next: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2)
      next.push(sha256d(concatBytes(level[i]!, level[i + 1] ?? level[i]!)))
    level = next
  }
  return bytesToHex(level[0]!.reverse())
}

export function encodeBlock(block: Block): Uint8Array {
  return concatBytes(
    encodeHeader(block.header),
    compactSize(block.transactions.length),
    ...block.transactions.map((tx) => encodeTransaction(tx)),
  )
}

export function blockWeight(block: Block): number {
  return (
    (80 + compactSize(block.transactions.length).length) * 4 +
    block.transactions.reduce((sum, tx) => sum + weightOf(tx), 0)
  )
}

/** Parses a block in consensus serialization. Throws `block-malformed`. */
export function decodeBlock(bytes: Uint8Array, height: number): Block {
  const { hash, transactions } = readBlock(bytes, null)
  return {
    hash,
    height,
    header: decodeHeader(bytes),
    transactions: transactions.map((transaction) => transaction.tx),
  }
}

function decodeHeader(bytes: Uint8Array): Header {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return {
    version: view.getInt32(0, true),
    previous: bytesToHex(bytes.slice(4, 36).reverse()),
    merkleRoot: bytesToHex(bytes.slice(36, 68).reverse()),
    time: view.getUint32(68, true),
    bits: view.getUint32(72, true),
    nonce: view.getUint32(76, true),
  }
}

/** Serializes a block with header and transactions as hex. Plain JSON is three times as large. */
export function blockToRecord(block: Block): string {
  return JSON.stringify({
    header: bytesToHex(encodeHeader(block.header)),
    height: block.height,
    transactions: block.transactions.map((tx) => bytesToHex(encodeTransaction(tx))),
  })
}

export function blockOfRecord(record: { header: string; height: number; transactions: string[] }): Block {
  const header = decodeHeader(hexToBytes(record.header))
  return {
    hash: hashOf(header),
    height: record.height,
    header,
    transactions: record.transactions.map((hex) => decodeTransaction(hex)),
  }
}

/** Mines a regtest block: a coinbase with BIP-34 height and BIP-141 commitment, then a nonce. */
export function mineBlock(options: {
  previous: string
  height: number
  time: number
  rewardSats: number
  script: Uint8Array
  transactions: readonly Tx[]
  /** Additional coinbase outputs. */
  others?: readonly TxOutput[]
}): Block {
  const witnessRoot = hexToBytes(merkleRoot(['0'.repeat(64), ...options.transactions.map(wtxidOf)])).reverse()
  const commitment = sha256d(concatBytes(witnessRoot, new Uint8Array(32)))
  const coinbase: Tx = {
    version: 2,
    locktime: 0,
    inputs: [
      {
        txid: '0'.repeat(64),
        vout: 0xffffffff,
        sequence: 0xffffffff,
        scriptSig: concatBytes(heightPush(options.height), Uint8Array.of(0x00)),
        witness: [new Uint8Array(32)],
      },
    ],
    outputs: [
      { valueSats: options.rewardSats, script: options.script },
      { valueSats: 0, script: concatBytes(Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed), commitment) },
      ...(options.others ?? []),
    ],
  }
  const transactions = [coinbase, ...options.transactions]
  const header: Header = {
    version: 0x20000000,
    previous: options.previous,
    merkleRoot: merkleRoot(transactions.map(txidOf)),
    time: options.time,
    bits: REGTEST_BITS,
    nonce: 0,
  }
  let hash = hashOf(header)
  while (!meetsTarget(hash)) {
    header.nonce++
    hash = hashOf(header)
  }
  return { hash, height: options.height, header, transactions }
}

/** Encodes the height as a minimal script number push (BIP-34). */
export function heightPush(height: number): Uint8Array {
  if (height === 0) return Uint8Array.of(0x00)
  if (height <= 16) return Uint8Array.of(0x50 + height)
  const bytes: number[] = []
  for (let rest = height; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256)
  if (bytes.at(-1)! & 0x80) bytes.push(0)
  return Uint8Array.of(bytes.length, ...bytes)
}

export function genesisBlock(): Block {
  const coinbase = decodeTransaction(
    '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000',
  )
  const header: Header = {
    version: 1,
    previous: '0'.repeat(64),
    merkleRoot: txidOf(coinbase),
    time: 1296688602,
    bits: REGTEST_BITS,
    nonce: 2,
  }
  return { hash: hashOf(header), height: 0, header, transactions: [coinbase] }
}
