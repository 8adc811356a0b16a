import { MAX_SATS } from '@ordbook/bitcoin/sats.ts'
import { type Journal, openJournal } from './journal.ts'
import { type Floor, RevokedRefusal, SignerRefusal, SpentRefusal } from './requests.ts'

/** A leg that is about to be signed. */
export interface Leg {
  outpoint: string
  generation: number
  /** A hash of the outputs that the seller signed for: 32 hex digits. */
  price: string
}

/** Sats of the market that a signature gives to miners. */
interface Spending {
  /**
   * A transaction is counted once in a day, however often it is signed, for the most that any request said it costs: its id
   * does not commit to the values of its coins, so an earlier request may have lied about them.
   */
  txid: string
  sats: number
}

/** The memory of a signer: floors, prices and spending. All of it is on the disk before a signature leaves. */
export interface Memory {
  journal: Journal
  floorOf(outpoint: string): number
  /** Raises floors; one that stands higher already stays. */
  raise(floors: readonly Floor[]): void
  /**
   * Writes down what a request signs. Throws SignerRefusal where a leg is below its floor, where its generation was signed for
   * another price, and where the sats of the day are spent.
   */
  claim(legs: readonly Leg[], spendings: readonly Spending[]): void
}

const DAY_MILLISECONDS = 86_400_000
const LINE =
  /^(?:floor (\S+) (\d{1,10})|leg (\S+) (\d{1,10}) ([0-9a-f]{32})|spent ([0-9a-f]{64}) (\d{1,16}) (\d{1,16}))$/

/** The price of a generation that two processes wrote down with different prices at once: it is signed for none. */
const CONTESTED = '0'.repeat(32)

interface Escrow {
  floor: number
  /** By generation. */
  prices: Map<number, string>
}

/**
 * The memory in a journal. `mostDaySats` bounds what 24 hours may cost; a clock that jumps ahead and back leaves the sats that
 * it counted meanwhile spent until that time has come.
 */
export function memoryIn(
  file: string,
  mostDaySats: number,
  clock: () => number = Date.now,
  enoughBytes?: number,
): Memory {
  const escrows = new Map<string, Escrow>()
  let spent: { txid: string; sats: number; at: number }[] = []
  /** By txid, what it counts for. */
  let counted = new Map<string, number>()
  let daySats = 0

  const escrowAt = (outpoint: string): Escrow => {
    let escrow = escrows.get(outpoint)
    if (!escrow) escrows.set(outpoint, (escrow = { floor: 0, prices: new Map() }))
    return escrow
  }
  const count = (entry: { txid: string; sats: number; at: number }) => {
    spent.push(entry)
    counted.set(entry.txid, (counted.get(entry.txid) ?? 0) + entry.sats)
    daySats += entry.sats
  }
  const read = (line: string) => {
    const [, raised, floor, leg, generation, price, txid, sats, at] = LINE.exec(line) ?? []
    if (raised) {
      const escrow = escrowAt(raised)
      escrow.floor = Math.max(escrow.floor, Number(floor))
      for (const n of escrow.prices.keys()) if (n < escrow.floor) escrow.prices.delete(n)
    } else if (leg) {
      const { prices } = escrowAt(leg)
      const known = prices.get(Number(generation)) ?? price!
      prices.set(Number(generation), known === price ? price : CONTESTED)
    } else if (txid) {
      const more = Math.min(Number(sats), MAX_SATS) - (counted.get(txid) ?? 0)
      if (more > 0) count({ txid, sats: more, at: Number(at) })
    }
  }

  const forgetYesterday = () => {
    const since = clock() - DAY_MILLISECONDS
    if (!spent.some(({ at }) => at <= since)) return
    const recent = spent.filter(({ at }) => at > since)
    spent = []
    counted = new Map()
    daySats = 0
    for (const entry of recent) count(entry)
  }
  const summary = (): string[] => {
    forgetYesterday()
    const sums = new Map<string, number>()
    return [
      ...[...escrows].flatMap(([outpoint, { floor, prices }]) => [
        ...(floor > 0 ? [`floor ${outpoint} ${floor}`] : []),
        ...[...prices].map(([generation, price]) => `leg ${outpoint} ${generation} ${price}`),
      ]),
      ...spent.map(({ txid, sats, at }) => {
        sums.set(txid, (sums.get(txid) ?? 0) + sats)
        return `spent ${txid} ${sums.get(txid)} ${at}`
      }),
    ]
  }
  const journal = openJournal(file, { read, summary }, enoughBytes)
  const demandLegs = (legs: readonly Leg[]) => {
    for (const { outpoint, generation, price } of legs) {
      const { floor, prices } = escrows.get(outpoint) ?? { floor: 0, prices: null }
      if (generation < floor)
        throw new RevokedRefusal(
          `leg ${generation} on the escrow coin ${outpoint} was revoked: its lowest generation is ${floor}`,
        )
      if ((prices?.get(generation) ?? price) !== price)
        throw new SignerRefusal(
          `leg ${generation} on the escrow coin ${outpoint} was signed for another price: each price has its own generation`,
        )
    }
  }
  const demandSats = (sats: number) => {
    if (daySats + sats > mostDaySats)
      throw new SpentRefusal(
        `${sats} sats more would make it ${daySats + sats} in 24 hours, above the ${mostDaySats} of SIGNER_DAY_SATS`,
      )
  }

  return {
    journal,
    floorOf(outpoint) {
      journal.catchUp()
      return escrows.get(outpoint)?.floor ?? 0
    },
    raise(floors) {
      journal.catchUp()
      const lines = floors
        .filter(({ outpoint, floor }) => floor > (escrows.get(outpoint)?.floor ?? 0))
        .map(({ outpoint, floor }) => `floor ${outpoint} ${floor}`)
      journal.append(lines)
    },
    claim(legs, spendings) {
      journal.catchUp()
      forgetYesterday()
      const dearer = spendings.filter(({ txid, sats }) => sats > (counted.get(txid) ?? 0))
      demandLegs(legs)
      demandSats(dearer.reduce((sum, { txid, sats }) => sum + sats - (counted.get(txid) ?? 0), 0))
      journal.append([
        ...legs
          .filter(({ outpoint, generation }) => !escrows.get(outpoint)?.prices.has(generation))
          .map(({ outpoint, generation, price }) => `leg ${outpoint} ${generation} ${price}`),
        ...dearer.map(({ txid, sats }) => `spent ${txid} ${sats} ${clock()}`),
      ])
      // Another process of this host may have written at the same time: the order of the lines decides.
      demandLegs(legs)
      demandSats(0)
    },
  }
}
