import { createHash } from 'node:crypto'
import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { LOST } from '@ordbook/bitcoin/outpoint.ts'
import { satsOfBtc } from '@ordbook/bitcoin/sats.ts'
import type { Tx } from '@ordbook/bitcoin/transaction.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { Regtest } from '@ordbook/devnet/regtest.ts'
import type { Ord } from '@ordbook/indexer/ord/ord.ts'
import { type Bomb, type Held, lockOf, OPEN } from './hostile.ts'

interface Answer {
  id: string
  number: number
  height: number
  satpoint: string
  charms: string[]
  parents: string[]
  contentType: string | null
}

/** Mines bombs. Does not identify transactions by txid, which depends on the coinbase. */
export class HostileChain {
  private readonly regtest: Regtest
  private readonly names = new Map<string, string>()
  private readonly coins = new Map<Bomb, Held[]>()
  private blocks = 0

  constructor(regtest: Regtest) {
    this.regtest = regtest
  }

  async fund(bombs: readonly Bomb[]): Promise<void> {
    const requiredCoins = bombs.flatMap((bomb) =>
      bomb.coins.flatMap(({ leaf, valueSats, count = 1 }) => {
        const { script, witness } = lockOf(leaf)
        return Array.from({ length: count }, () => ({ bomb, witness, output: { valueSats, script } }))
      }),
    )
    const BATCH_SIZE = 2000
    for (let at = 0; at < requiredCoins.length; at += BATCH_SIZE) {
      const part = requiredCoins.slice(at, at + BATCH_SIZE)
      const txid = txidOf(await this.regtest.pay(part.map(({ output }) => output)))
      for (const [n, { bomb, witness, output }] of part.entries()) {
        const coins = this.coins.get(bomb) ?? []
        coins.push({ txid, vout: n + 1, witness, ...output })
        this.coins.set(bomb, coins)
      }
      await this.regtest.mine()
    }
    for (const bomb of bombs) if (bomb.coinbases) await this.mineCoinbases(bomb, bomb.coinbases)
  }

  /** Mines a bomb. Calls `afterPrepared` before its first block that does not only prepare it. Returns the sizes of the other blocks. */
  async mine(bomb: Bomb, afterPrepared = async () => {}): Promise<number[]> {
    const { prepared = 0 } = bomb
    const sizes: number[] = []
    for (const [n, transactions] of bomb.blocks(this.coins.get(bomb) ?? []).entries()) {
      if (n === prepared) await afterPrepared()
      sizes.push(await this.mineBlock(transactions))
    }
    return sizes.slice(prepared)
  }

  private async mineCoinbases(bomb: Bomb, count: number): Promise<void> {
    const { script, witness } = lockOf(OPEN)
    const coins = this.coins.get(bomb) ?? []
    const hashes = await this.regtest.call<string[]>(
      'generatetoaddress',
      count,
      addressOfScript(script, 'regtest'),
    )
    for (const hash of hashes) {
      const { tx } = await this.regtest.call<{ tx: { txid: string; vout: { value: number }[] }[] }>(
        'getblock',
        hash,
        2,
      )
      const [{ txid, vout }] = tx as [(typeof tx)[number]]
      coins.push({ txid, vout: 0, valueSats: satsOfBtc(vout[0]!.value), script, witness })
    }
    this.coins.set(bomb, coins)
    await this.regtest.mine(100)
  }

  private async mineBlock(transactions: readonly Tx[]): Promise<number> {
    const hash = await this.regtest.mineExactly(transactions)
    const { tx, size } = await this.regtest.call<{ tx: string[]; size: number }>('getblock', hash)
    for (const [n, txid] of tx.entries()) this.names.set(txid, `b${this.blocks}t${n}`)
    this.blocks++
    return size
  }

  /** Returns a digest of inscriptions that is the same on every chain. */
  digestOf(answers: readonly Answer[], firstHeight: number): string {
    const hash = createHash('sha256')
    const name = (txid: string) => this.names.get(txid) ?? txid
    const idOf = (id: string) => `${name(id.slice(0, 64))}${id.slice(64)}`
    for (const each of answers.toSorted((a, b) => a.number - b.number)) {
      const [txid, vout, offset] = each.satpoint.split(':')
      const line = [
        each.number,
        idOf(each.id),
        each.height - firstHeight,
        `${name(txid!)}:${vout}:${offset}`,
        each.charms.join(),
        each.parents.map(idOf).join(),
        each.contentType,
      ]
      hash.update(`${JSON.stringify(line)}\n`)
    }
    return hash.digest('hex').slice(0, 16)
  }
}

/** The other charms follow from the location or the sat. */
const CHARMS = ['cursed', 'lost', 'reinscription', 'unbound', 'vindicated']

export async function answersOf(sql: Sql, fromSequence: number): Promise<Answer[]> {
  const rows = await sql<Record<string, any>[]>`
    select inscription_id, inscription_number, height, txid, vout, sat_offset, cursed, vindicated, unbound, reinscription,
      parent_ids, content_type
    from inscriptions where sequence >= ${fromSequence} order by sequence`
  return rows.map((row) => ({
    id: row.inscriptionId,
    number: row.inscriptionNumber,
    height: row.height,
    satpoint: `${row.txid}:${row.vout}:${row.satOffset}`,
    charms: CHARMS.filter((charm) => (charm === 'lost' ? isLost(row) : row[charm])),
    parents: row.parentIds,
    contentType: row.contentType,
  }))
}

const isLost = (row: Record<string, any>) => row.txid === LOST.txid && row.vout === LOST.vout

export async function ordAnswersOf(ord: Ord, ids: readonly string[]): Promise<Answer[]> {
  const answers = new Map((await ord.inscriptions(ids)).map((each) => [each.id, each]))
  return ids
    .flatMap((id) => answers.get(id) ?? [])
    .map((each) => ({
      id: each.id,
      number: each.number,
      height: each.height,
      satpoint: each.satpoint,
      charms: CHARMS.filter((charm) => each.charms.includes(charm)),
      parents: each.parents,
      contentType: each.content_type ?? null,
    }))
}
