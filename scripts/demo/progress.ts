import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeTransaction, hexOfTransaction, type Tx, type TxOutput } from '@ordbook/bitcoin/transaction.ts'
import type { Regtest } from '@ordbook/devnet/regtest.ts'

/** Completed steps of the demo and their results, in `demo.json` of the data folder. An interrupted step runs again. */
export class Progress {
  private readonly file: string
  private readonly results: Record<string, unknown>

  constructor(directory: string) {
    this.file = join(directory, 'demo.json')
    this.results = existsSync(this.file) ? JSON.parse(readFileSync(this.file, 'utf8')) : {}
  }

  /** Runs a step, or returns its stored result. */
  async once<T>(step: string, work: () => Promise<T>): Promise<T> {
    if (!(step in this.results)) {
      this.results[step] = (await work()) ?? null
      writeFileSync(`${this.file}.new`, JSON.stringify(this.results))
      renameSync(`${this.file}.new`, this.file)
    }
    return this.results[step] as T
  }

  /** Pays from the faucet and mines a block, or returns an earlier payment. */
  async payOnce(step: string, regtest: Regtest, outputs: TxOutput[]): Promise<Tx> {
    return decodeTransaction(
      await this.once(step, async () => hexOfTransaction(await regtest.payNow(outputs))),
    )
  }
}
