import {
  closeSync,
  existsSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { decodeTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { type Block, blockOfRecord, blockToRecord } from './block.ts'

export type StoreRecord =
  | { kind: 'block'; block: Block }
  | { kind: 'invalidate' | 'reconsider'; hash: string }

/**
 * The chain on disk, one record per line, synced before each response. A truncated last line is dropped at startup. Like Core, the mempool
 * is written only on a clean stop.
 */
export class Store {
  private readonly file: string
  private readonly mempoolFile: string
  private readonly descriptor: number

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true })
    this.file = join(directory, 'chain.jsonl')
    this.mempoolFile = join(directory, 'mempool.json')
    if (existsSync(this.file)) {
      const text = readFileSync(this.file)
      const end = text.lastIndexOf(0x0a) + 1
      if (end !== text.length) truncateSync(this.file, end)
    }
    this.descriptor = openSync(this.file, 'a')
  }

  read(): StoreRecord[] {
    return readFileSync(this.file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const record = JSON.parse(line)
        return 'header' in record ? { kind: 'block', block: blockOfRecord(record) } : record
      })
  }

  appendBlock(block: Block): void {
    this.append(blockToRecord(block))
  }

  appendJudgement(kind: 'invalidate' | 'reconsider', hash: string): void {
    this.append(JSON.stringify({ kind, hash }))
  }

  private append(line: string): void {
    writeSync(this.descriptor, `${line}\n`)
    fdatasyncSync(this.descriptor)
  }

  readMempool(): Tx[] {
    if (!existsSync(this.mempoolFile)) return []
    const transactions = JSON.parse(readFileSync(this.mempoolFile, 'utf8')).map(decodeTransaction)
    rmSync(this.mempoolFile)
    return transactions
  }

  writeMempool(hexes: readonly string[]): void {
    writeFileSync(`${this.mempoolFile}.new`, JSON.stringify(hexes))
    renameSync(`${this.mempoolFile}.new`, this.mempoolFile)
    closeSync(this.descriptor)
  }
}
