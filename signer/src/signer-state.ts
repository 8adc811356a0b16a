import { MAX_SATS } from '@ordbook/bitcoin/sats.ts'
import { type Journal, openJournal } from './journal.ts'
import {
  type Floor,
  type KnownFloor,
  type Revocation,
  RevokedRefusal,
  SignerRefusal,
  SpentRefusal,
} from './requests.ts'
import { Revoked } from './revocations.ts'

export interface Leg {
  outpoint: string
  generation: number
  /** Hash of the outputs that the seller signed, 32 hex digits. */
  price: string
}

/** Market sats that a transaction pays as fees. */
interface Spending {
  /**
   * A transaction counts once per day at its highest requested cost. Its txid does not commit to coin values, so an earlier request may
   * have understated them.
   */
  txid: string
  sats: number
}

/** Floors, prices, revoked orders and spending. On disk before a signature is returned. */
export interface Memory {
  journal: Journal
  /** Returns an escrow coin's floor, and the lowest generation above the floor and all signed generations. */
  floorOf(outpoint: string): Pick<KnownFloor, 'floor' | 'next'>
  /** Raises floors; never lowers a floor. */
  raise(floors: readonly Floor[]): Promise<void>
  revoke(revocations: readonly Revocation[]): Promise<void>
  isRevoked(id: string): boolean
  /**
   * Records what a request will sign. Throws SignerRefusal if a leg is below its floor, its generation was signed for a different price, or
   * the daily limit is exceeded.
   */
  claim(legs: readonly Leg[], spendings: readonly Spending[]): Promise<void>
}

const DAY_MILLISECONDS = 86_400_000
const LINE =
  /^(?:floor (\S+) (\d{1,10})|leg (\S+) (\d{1,10}) ([0-9a-f]{32})|spent ([0-9a-f]{64}) (\d{1,16}) (\d{1,16}))$/

/** Marks a generation that two processes recorded with different prices. It is never signed. */
const CONTESTED = '0'.repeat(32)

interface Escrow {
  floor: number
  /** Prices by generation. */
  prices: Map<number, string>
}

/** Market sats paid as fees in the last 24 hours. */
class DaySpending {
  private readonly mostSats: number
  private readonly clock: () => number
  private entries: (Spending & { at: number })[] = []
  private readonly counted = new Map<string, number>()
  private sats = 0

  constructor(mostSats: number, clock: () => number) {
    this.mostSats = mostSats
    this.clock = clock
  }

  /** Returns the sats that are not counted yet for the transaction. */
  beyond({ txid, sats }: Spending): number {
    return Math.max(0, sats - (this.counted.get(txid) ?? 0))
  }

  count(entry: Spending & { at: number }): void {
    this.entries.push(entry)
    this.counted.set(entry.txid, (this.counted.get(entry.txid) ?? 0) + entry.sats)
    this.sats += entry.sats
  }

  forgetYesterday(): void {
    const since = this.clock() - DAY_MILLISECONDS
    if (!this.entries.some(({ at }) => at <= since)) return
    const recent = this.entries.filter(({ at }) => at > since)
    this.entries = []
    this.counted.clear()
    this.sats = 0
    for (const entry of recent) this.count(entry)
  }

  /** Throws SpentRefusal if `sats` more would exceed the limit. */
  assertWithinLimit(sats: number): void {
    if (this.sats + sats > this.mostSats)
      throw new SpentRefusal(
        `${sats} more sats would make ${this.sats + sats} in 24 hours, above SIGNER_MAX_FEE_PER_DAY_SATS (${this.mostSats})`,
      )
  }

  /** Returns journal lines that restore this state. */
  lines(): string[] {
    const sums = new Map<string, number>()
    return this.entries.map(({ txid, sats, at }) => {
      sums.set(txid, (sums.get(txid) ?? 0) + sats)
      return `spent ${txid} ${sums.get(txid)} ${at}`
    })
  }
}

/** Floors of escrow coins, and the prices of their signed generations. */
class Escrows {
  private readonly byOutpoint = new Map<string, Escrow>()

  get(outpoint: string): Readonly<Escrow> {
    return this.byOutpoint.get(outpoint) ?? { floor: 0, prices: new Map() }
  }

  floorOf(outpoint: string): Pick<KnownFloor, 'floor' | 'next'> {
    const { floor, prices } = this.get(outpoint)
    const next = Math.max(
      floor === 0 ? 0 : floor + 1,
      ...[...prices.keys()].map((generation) => generation + 1),
    )
    return { floor, next }
  }

  raise(outpoint: string, floor: number): void {
    const escrow = this.at(outpoint)
    escrow.floor = Math.max(escrow.floor, floor)
    for (const n of escrow.prices.keys()) if (n < escrow.floor) escrow.prices.delete(n)
  }

  sign({ outpoint, generation, price }: Leg): void {
    const { prices } = this.at(outpoint)
    const known = prices.get(generation) ?? price
    prices.set(generation, known === price ? price : CONTESTED)
  }

  /** Throws SignerRefusal if a leg is below its floor, or its generation was signed for a different price. */
  assertSignable(legs: readonly Leg[]): void {
    for (const { outpoint, generation, price } of legs) {
      const { floor, prices } = this.get(outpoint)
      if (generation < floor)
        throw new RevokedRefusal(
          `leg ${generation} on the escrow coin ${outpoint} was revoked. The lowest valid generation is ${floor}`,
        )
      if ((prices.get(generation) ?? price) !== price)
        throw new SignerRefusal(
          `leg ${generation} on the escrow coin ${outpoint} was signed for a different price. Use a new generation for each price`,
        )
    }
  }

  /** Returns journal lines that restore this state. */
  lines(): string[] {
    return [...this.byOutpoint].flatMap(([outpoint, { floor, prices }]) => [
      ...(floor > 0 ? [`floor ${outpoint} ${floor}`] : []),
      ...[...prices].map(([generation, price]) => `leg ${outpoint} ${generation} ${price}`),
    ])
  }

  private at(outpoint: string): Escrow {
    let escrow = this.byOutpoint.get(outpoint)
    if (!escrow) this.byOutpoint.set(outpoint, (escrow = { floor: 0, prices: new Map() }))
    return escrow
  }
}

/**
 * Opens the state of a signer. `mostDaySats` limits spending in 24 hours. If the clock jumps ahead and back, sats counted in the future
 * stay counted until then.
 */
export function memoryIn(
  file: string,
  mostDaySats: number,
  clock: () => number = Date.now,
  enoughBytes?: number,
): Memory {
  const escrows = new Escrows()
  const day = new DaySpending(mostDaySats, clock)
  const revoked = new Revoked(clock)

  const read = (line: string) => {
    const [, raised, floor, leg, generation, price, txid, sats, at] = LINE.exec(line) ?? []
    if (raised) escrows.raise(raised, Number(floor))
    else if (leg) escrows.sign({ outpoint: leg, generation: Number(generation), price: price! })
    else if (txid) {
      const more = day.beyond({ txid, sats: Math.min(Number(sats), MAX_SATS) })
      if (more > 0) day.count({ txid, sats: more, at: Number(at) })
    } else revoked.read(line)
  }
  const summary = (): string[] => {
    day.forgetYesterday()
    return [...escrows.lines(), ...revoked.summary(), ...day.lines()]
  }
  const journal = openJournal(file, { read, summary }, enoughBytes)

  return {
    journal,
    floorOf(outpoint) {
      journal.catchUp()
      return escrows.floorOf(outpoint)
    },
    raise: (floors) =>
      journal.append(() =>
        floors
          .filter(({ outpoint, floor }) => floor > escrows.get(outpoint).floor)
          .map(({ outpoint, floor }) => `floor ${outpoint} ${floor}`),
      ),
    revoke: (revocations) => journal.append(() => revoked.linesFor(revocations)),
    isRevoked(id) {
      journal.catchUp()
      return revoked.has(id)
    },
    async claim(legs, spendings) {
      await journal.append(() => {
        day.forgetYesterday()
        const uncounted = spendings.filter((spending) => day.beyond(spending) > 0)
        escrows.assertSignable(legs)
        day.assertWithinLimit(uncounted.reduce((sum, spending) => sum + day.beyond(spending), 0))
        return [
          ...legs
            .filter(({ outpoint, generation }) => !escrows.get(outpoint).prices.has(generation))
            .map(({ outpoint, generation, price }) => `leg ${outpoint} ${generation} ${price}`),
          ...uncounted.map(({ txid, sats }) => `spent ${txid} ${sats} ${clock()}`),
        ]
      })
      // Another process may have written at the same time. The order of the lines decides, so check again.
      escrows.assertSignable(legs)
      day.assertWithinLimit(0)
    },
  }
}
