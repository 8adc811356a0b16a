import { type Envelope, envelopesOf } from './envelope.ts'
import type { Holdings } from './holdings.ts'
import { LOST, type Outpoint, UNBOUND } from './outpoint.ts'
import type { BlockTransaction } from './raw-block.ts'
import { sumSats } from './sats.ts'
import type { TxOutput } from './transaction.ts'

/**
 * How one block moves and makes inscriptions, by the rules of the ord handbook and of ord's index: sats flow first-in
 * first-out through each transaction, fees flow into the coinbase behind the subsidy, and an inscription made against
 * the rules of its time is cursed (a negative number) until the chain's jubilee, and vindicated after it.
 */
export interface Located {
  inscriptionId: string
  sequence: number
  /** Cursed or vindicated: its sat may be inscribed once more without a curse. */
  cursedOrVindicated: boolean
  offset: number
}

export interface Position {
  outpoint: Outpoint
  offset: number
  /** The output that holds it; null when unbound or lost. */
  output: TxOutput | null
}

export interface Inscribed {
  kind: 'inscribed'
  inscriptionId: string
  sequence: number
  number: number
  cursed: boolean
  vindicated: boolean
  unbound: boolean
  reinscription: boolean
  /** Parents in the inputs of the reveal that have their number before it; `envelope.parents` is what it claims. */
  parents: string[]
  envelope: Envelope
  /** Its share of the reveal's fee, as ord reckons it: the fee by the number of inscriptions made. */
  feeSats: number
  /** Offset of its sat over all inputs of the reveal. */
  inputOffset: number
  /** Set when its sat went to an OP_RETURN or was lost at birth; ord keeps that as a charm, of unbound ones too. */
  bornIn: 'op_return' | 'lost' | null
  to: Position
}

export interface Moved {
  kind: 'moved'
  inscriptionId: string
  sequence: number
  txid: string
  /** Of the transaction in the block; 0, the coinbase, for what was spent as fee. */
  transactionIndex: number
  from: Position
  to: Position
}

/** The counters that run on from block to block. */
export interface InscriptionCounters {
  nextSequence: number
  blessed: number
  cursed: number
  unbound: number
  lostSats: number
}

interface Flotsam {
  inscriptionId: string
  offset: number
  old: (Located & { from: Position }) | null
  fresh: Pick<
    Inscribed,
    'cursed' | 'vindicated' | 'unbound' | 'reinscription' | 'parents' | 'envelope' | 'feeSats' | 'inputOffset'
  > | null
}

/**
 * Runs a block. `located` are the inscriptions in the outputs that it spends, as of before it; they and `counters` are
 * carried on in place. Returns what happened, in the order in which ord numbers it.
 */
export function flowBlock(
  transactions: readonly BlockTransaction[],
  options: {
    subsidySats: number
    jubilant: boolean
    counters: InscriptionCounters
    located: Holdings<Located>
  },
): (Inscribed | Moved)[] {
  const { counters, located } = options
  const events: (Inscribed | Moved)[] = []
  let reward = options.subsidySats
  const feeFlotsam: Flotsam[] = []
  /** Made by this block and numbered: a parent of the same transaction counts only from then on. */
  const numbered = new Set<string>()

  const place = (flotsam: Flotsam, to: Position, txid: string, transactionIndex: number) => {
    const { old, fresh, inscriptionId } = flotsam
    if (old) {
      const { sequence, from } = old
      events.push({ kind: 'moved', inscriptionId, sequence, txid, transactionIndex, from, to })
      put(to, { ...old, offset: to.offset })
    } else if (fresh) {
      const bornIn = !to.output ? 'lost' : to.output.script[0] === OP_RETURN ? 'op_return' : null
      if (fresh.unbound) to = { outpoint: UNBOUND, offset: counters.unbound++, output: null }
      const sequence = counters.nextSequence++
      const number = fresh.cursed ? -++counters.cursed : counters.blessed++
      const own = inscriptionId.slice(0, 64)
      const parents = fresh.parents.filter((parent) => !parent.startsWith(own) || numbered.has(parent))
      numbered.add(inscriptionId)
      events.push({ kind: 'inscribed', inscriptionId, sequence, number, ...fresh, parents, bornIn, to })
      const cursedOrVindicated = fresh.cursed || fresh.vindicated
      put(to, { inscriptionId, sequence, cursedOrVindicated, offset: to.offset })
    }
  }
  const put = (to: Position, inscription: Located) => {
    if (to.output) located.put(to.outpoint, inscription) // lost and unbound sats are never spent
  }

  // The coinbase last: what others leave flows into it.
  for (let n = 1; n <= transactions.length; n++) {
    const index = n % transactions.length
    const transaction = transactions[index]!
    const isCoinbase = index === 0
    if (!isCoinbase && !transaction.mayInscribe && !transaction.spendsOf(located)) {
      reward += transaction.feeSats
      continue
    }
    const { txid, tx, prevouts } = transaction
    const floating: Flotsam[] = isCoinbase ? feeFlotsam : []
    let inputSats = isCoinbase ? options.subsidySats : 0
    if (!isCoinbase) {
      const outputSats = sumSats(tx.outputs.map((output) => output.valueSats))
      const envelopes = envelopesOf(tx)
      const inscribed = new Map<number, { first: Located | null; count: number }>()
      const inscribe = (offset: number, first: Located | null) => {
        const at = inscribed.get(offset) ?? { first, count: 0 }
        inscribed.set(offset, { ...at, count: at.count + 1 })
      }
      let made = 0
      let nextEnvelope = 0
      for (const [index, input] of tx.inputs.entries()) {
        const prevout = prevouts[index]!
        for (const old of located.take(input).toSorted((a, b) => a.sequence - b.sequence)) {
          const offset = inputSats + old.offset
          const from = {
            outpoint: { txid: input.txid, vout: input.vout },
            offset: old.offset,
            output: prevout,
          }
          floating.push({ inscriptionId: old.inscriptionId, offset, old: { ...old, from }, fresh: null })
          inscribe(offset, old)
        }
        const start = inputSats
        inputSats += prevout.valueSats
        for (; envelopes[nextEnvelope]?.input === index; nextEnvelope++) {
          const envelope = envelopes[nextEnvelope]!
          const cursedByRules = isCursed(envelope, inscribed.get(start))
          const offset = envelope.pointer !== null && envelope.pointer < outputSats ? envelope.pointer : start
          const inscriptionId = `${txid}i${made++}`
          floating.push({
            inscriptionId,
            offset,
            old: null,
            fresh: {
              envelope,
              inputOffset: offset,
              cursed: cursedByRules && !options.jubilant,
              vindicated: cursedByRules && options.jubilant,
              unbound: prevout.valueSats === 0 || envelope.unrecognizedEvenField,
              reinscription: inscribed.has(offset),
              parents: [...new Set(envelope.parents)],
              feeSats: 0,
            },
          })
          // A fresh inscription is the sat's first only until its curse is known; ord looks it up, and so do we.
          inscribe(offset, {
            inscriptionId,
            sequence: -1,
            cursedOrVindicated: cursedByRules,
            offset,
          })
        }
      }
      const present = new Set(floating.map((each) => each.inscriptionId))
      for (const { fresh } of floating)
        if (fresh) {
          fresh.parents = fresh.parents.filter((parent) => present.has(parent))
          fresh.feeSats = Math.floor(transaction.feeSats / made)
        }
    }

    floating.sort((a, b) => a.offset - b.offset)
    let next = 0
    let start = 0
    for (const [vout, output] of tx.outputs.entries()) {
      const end = start + output.valueSats
      for (; next < floating.length && floating[next]!.offset < end; next++) {
        const offset = floating[next]!.offset - start
        place(floating[next]!, { outpoint: { txid, vout }, offset, output }, txid, index)
      }
      start = end
    }
    for (; next < floating.length; next++) {
      const flotsam = floating[next]!
      const offset = flotsam.offset - start
      if (isCoinbase)
        place(flotsam, { outpoint: LOST, offset: counters.lostSats + offset, output: null }, txid, index)
      else feeFlotsam.push({ ...flotsam, offset: reward + offset })
    }
    if (isCoinbase) counters.lostSats += reward - start
    else reward += inputSats - start
  }
  return events
}

const OP_RETURN = 0x6a

/** The curses of ord's index, in its order; any one of them suffices. */
function isCursed(envelope: Envelope, onSat: { first: Located | null; count: number } | undefined): boolean {
  return (
    envelope.unrecognizedEvenField ||
    envelope.duplicateField ||
    envelope.incompleteField ||
    envelope.input !== 0 ||
    envelope.offset !== 0 ||
    envelope.hasPointer ||
    envelope.pushnum ||
    envelope.stutter ||
    (onSat !== undefined && (onSat.count > 1 || !onSat.first?.cursedOrVindicated))
  )
}

/** Sats of subsidy at a height. `halvingInterval` is 210,000 blocks, on regtest 150. */
export function subsidyAt(height: number, halvingInterval: number): number {
  const halvings = Math.floor(height / halvingInterval)
  return halvings >= 33 ? 0 : Math.floor(5_000_000_000 / 2 ** halvings)
}
