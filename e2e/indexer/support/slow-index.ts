import { subsidyAt } from '@ordbook/bitcoin/inscription-flow.ts'

/**
 * A slow reference index, independent of the server's code. Recomputed from the genesis block with a list of sat ranges per output.
 * Inscriptions are located by sat number.
 */
interface JsonTransaction {
  txid: string
  vin: {
    txid?: string
    vout?: number
    txinwitness?: string[]
    prevout?: { value: number; scriptPubKey: { hex: string } }
  }[]
  vout: { value: number; scriptPubKey: { hex: string } }[]
}
export interface JsonBlock {
  hash: string
  height: number
  previousblockhash?: string
  tx: JsonTransaction[]
}

/** Sats from the first number up to the second, exclusive. */
type Range = [number, number]
export interface SlowCoin {
  txid: string
  vout: number
  valueSats: number
  script: string
  height: number
  coinbase: boolean
  ranges: Range[]
}
interface SlowInscription {
  sequence: number
  inscriptionId: string
  number: number
  height: number
  cursed: boolean
  vindicated: boolean
  unbound: boolean
  reinscription: boolean
  parents: string[]
  sat: number | null
  satpoint: string
  valueSats: number | null
  script: string | null
}
export interface SlowIndex {
  inscriptions: SlowInscription[]
  coins: Map<string, SlowCoin>
  /** Sats that no coinbase claimed. */
  lost: Range[]
  /** Satpoint of every block's first sat, or null if lost. */
  firstSats: (string | null)[]
}

const JUBILEE = 110
const HALVING = 150
const sats = (btc: number) => Math.round(btc * 1e8)

interface Field {
  envelope: { pushes: string[]; pushnum: boolean; stutter: boolean }
  input: number
  nth: number
}

type Entry = Omit<SlowInscription, 'satpoint' | 'valueSats' | 'script'> & { unboundAt: number }
interface State {
  coins: Map<string, SlowCoin>
  lost: Range[]
  inscriptions: Entry[]
  minted: number
  blessed: number
  cursed: number
  unbound: number
  births: (number | null)[]
}
const genesis = (): State => ({
  coins: new Map(),
  lost: [],
  inscriptions: [],
  minted: 0,
  blessed: 0,
  cursed: 0,
  unbound: 0,
  births: [],
})

/** States after recent blocks by block hash, so that a longer chain is not recomputed from the genesis block. */
const states = new Map<string, State>()
const MAX_STATES = 20

/** Indexes a chain from its genesis block. */
export function recompute(blocks: readonly JsonBlock[]): SlowIndex {
  const known = blocks.findLastIndex(({ hash }) => states.has(hash))
  const before = known === -1 ? genesis() : states.get(blocks[known]!.hash)!
  const state: State = {
    ...before,
    coins: new Map(before.coins),
    lost: [...before.lost],
    inscriptions: [...before.inscriptions],
    births: [...before.births],
  }
  for (const block of blocks.slice(known + 1)) applyBlock(state, block)
  states.delete(blocks.at(-1)!.hash)
  states.set(blocks.at(-1)!.hash, state)
  if (states.size > MAX_STATES) states.delete(states.keys().next().value!)
  return viewOf(state)
}

function applyBlock(state: State, { height, tx: transactions }: JsonBlock): void {
  const { coins, lost, inscriptions } = state
  const subsidy = subsidyAt(height, HALVING)
  state.births.push(subsidy > 0 ? state.minted : null)
  const reward: Range[] = subsidy > 0 ? [[state.minted, state.minted + subsidy]] : []
  state.minted += subsidy
  const deferred: { offset: number; number: () => void }[] = []
  const lay = (tx: JsonTransaction, ranges: Range[]): Range[] => {
    let remainingRanges = ranges
    for (const [vout, output] of tx.vout.entries()) {
      const [mine, others] = cut(remainingRanges, sats(output.value))
      remainingRanges = others
      coins.set(`${tx.txid}:${vout}`, {
        txid: tx.txid,
        vout,
        valueSats: sats(output.value),
        script: output.scriptPubKey.hex,
        height,
        coinbase: tx === transactions[0],
        ranges: mine,
      })
    }
    return remainingRanges
  }
  for (const tx of transactions.slice(1)) {
    const ranges: Range[] = []
    /** By input offset: number of inscriptions, and whether a reinscription there is not cursed. */
    const at = new Map<number, { count: number; lenient: boolean }>()
    const floating: { offset: number; id: string; number: (() => void) | null }[] = []
    let total = 0
    let nth = 0
    const outputs = tx.vout.reduce((sum, output) => sum + sats(output.value), 0)
    const fields = fieldsOf(tx)
    for (const [index, input] of tx.vin.entries()) {
      const key = `${input.txid}:${input.vout}`
      const coin = coins.get(key)
      if (!coin) throw new Error(`${key} does not exist`)
      coins.delete(key)
      const start = total
      for (const old of inscriptions) {
        const offset = old.sat === null ? -1 : offsetOf(coin.ranges, old.sat)
        if (offset === -1) continue
        const seen = at.get(start + offset)
        at.set(start + offset, {
          count: (seen?.count ?? 0) + 1,
          lenient: seen?.lenient ?? (old.cursed || old.vindicated),
        })
        floating.push({ offset: start + offset, id: old.inscriptionId, number: null })
      }
      ranges.push(...coin.ranges)
      total += coin.valueSats
      for (const field of fields.filter((each) => each.input === index)) {
        const facts = factsOf(field)
        const there = at.get(start)
        const broken = facts.broken || (there !== undefined && (there.count > 1 || !there.lenient))
        const offset = facts.pointer !== null && facts.pointer < outputs ? facts.pointer : start
        const id = `${tx.txid}i${nth++}`
        const unbound = coin.valueSats === 0 || facts.unboundByRules
        const reinscription = at.has(offset)
        const entry = {
          inscriptionId: id,
          height,
          cursed: broken && height < JUBILEE,
          vindicated: broken && height >= JUBILEE,
          unbound,
          reinscription,
          parents: facts.parents,
        }
        floating.push({
          offset,
          id,
          number: () => {
            const number = entry.cursed ? -++state.cursed : state.blessed++
            inscriptions.push({
              ...entry,
              sequence: inscriptions.length,
              number,
              // A pointer may select a sat of a later input.
              sat: unbound ? null : satAt(ranges, offset),
              unboundAt: unbound ? state.unbound++ : -1,
            })
          },
        })
        const seen = at.get(offset)
        at.set(offset, { count: (seen?.count ?? 0) + 1, lenient: seen?.lenient ?? broken })
        entry.parents = facts.parents
      }
    }
    const present = new Set(floating.map((each) => each.id))
    const feeRanges = lay(tx, ranges)
    const before = lengthOf(reward)
    for (const each of floating.toSorted((a, b) => a.offset - b.offset)) {
      if (!each.number) continue
      const number = each.number
      const withParents = () => {
        number()
        const entry = inscriptions.at(-1)!
        // A parent in the same transaction must have a lower number.
        entry.parents = [...new Set(entry.parents)].filter(
          (parent) =>
            present.has(parent) &&
            inscriptions.some((other) => other !== entry && other.inscriptionId === parent),
        )
      }
      if (each.offset < outputs) withParents()
      else deferred.push({ offset: before + each.offset - outputs, number: withParents })
    }
    reward.push(...feeRanges)
  }
  for (const each of deferred.toSorted((a, b) => a.offset - b.offset)) each.number()
  lost.push(...lay(transactions[0]!, reward))
}

function viewOf({ coins, lost, inscriptions, births }: State): SlowIndex {
  const shelf = [...coins.entries()]
    .flatMap(([key, coin]) => coin.ranges.map(([from, to]) => ({ from, to, key, coin })))
    .sort((a, b) => a.from - b.from)
  const placeOf = (sat: number): { satpoint: string; coin: SlowCoin | null } => {
    let [low, high] = [0, shelf.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (shelf[middle]!.to <= sat) low = middle + 1
      else high = middle
    }
    const found = shelf[low]
    if (found && found.from <= sat)
      return { satpoint: `${found.key}:${offsetOf(found.coin.ranges, sat)}`, coin: found.coin }
    return { satpoint: `${'0'.repeat(64)}:4294967295:${offsetOf(lost, sat)}`, coin: null }
  }
  return {
    coins,
    lost,
    firstSats: births.map((sat) => {
      const place = sat === null ? null : placeOf(sat)
      return place?.coin ? place.satpoint : null
    }),
    inscriptions: inscriptions.map(({ unboundAt, ...entry }) => {
      const { satpoint, coin } =
        entry.sat === null ? { satpoint: `${'0'.repeat(64)}:0:${unboundAt}`, coin: null } : placeOf(entry.sat)
      return { ...entry, satpoint, valueSats: coin?.valueSats ?? null, script: coin?.script ?? null }
    }),
  }
}

const lengthOf = (ranges: Range[]) => ranges.reduce((sum, [from, to]) => sum + to - from, 0)

function offsetOf(ranges: readonly Range[], sat: number): number {
  let offset = 0
  for (const [from, to] of ranges) {
    if (sat >= from && sat < to) return offset + sat - from
    offset += to - from
  }
  return -1
}

function satAt(ranges: readonly Range[], offset: number): number {
  for (const [from, to] of ranges) {
    if (offset < to - from) return from + offset
    offset -= to - from
  }
  throw new Error('the sat does not exist')
}

function cut(ranges: readonly Range[], count: number): [Range[], Range[]] {
  const mine: Range[] = []
  const remainder: Range[] = []
  for (const [from, to] of ranges) {
    const takenSats = Math.min(count, to - from)
    if (takenSats > 0) mine.push([from, from + takenSats])
    if (takenSats < to - from) remainder.push([from + takenSats, to])
    count -= takenSats
  }
  return [mine, remainder]
}

/** Parses a script into pushes (hex) and opcodes (numbers). Returns null if it is truncated. */
function wordsOf(script: string): (string | number)[] | null {
  const words: (string | number)[] = []
  let at = 0
  const take = (bytes: number) => {
    const part = script.slice(at, at + bytes * 2)
    at += bytes * 2
    return part.length === bytes * 2 ? part : null
  }
  const little = (hex: string | null) =>
    hex === null ? null : Number.parseInt((hex.match(/../g) ?? []).reverse().join('') || '0', 16)
  while (at < script.length) {
    const op = Number.parseInt(take(1)!, 16)
    if (op > 0x4e) words.push(op)
    else {
      const length = op < 0x4c ? op : little(take(1 << (op - 0x4c)))
      const data = length === null ? null : take(length)
      if (data === null) return null
      words.push(data)
    }
  }
  return words
}

function fieldsOf(tx: JsonTransaction): Field[] {
  return tx.vin.flatMap(({ txinwitness = [] }, input) => {
    const stack =
      txinwitness.at(-1)?.startsWith('50') && txinwitness.length > 1 ? txinwitness.slice(0, -1) : txinwitness
    const words = stack.length >= 2 ? wordsOf(stack.at(-2)!) : null
    if (!words) return []
    const found: Field[] = []
    let stutter = false
    let at = 0
    while (at < words.length) {
      if (words[at] !== '') {
        at++
        continue
      }
      // An empty push opens an envelope or is a stutter.
      const opens = words[at + 1] === 0x63 && words[at + 2] === '6f7264'
      if (!opens) {
        at += words[at + 1] === 0x63 ? 2 : 1
        stutter = words[at] === ''
        continue
      }
      at += 3
      const pushes: string[] = []
      let pushnum = false
      let closed = false
      for (; at < words.length; at++) {
        const word = words[at]!
        if (typeof word === 'string') pushes.push(word)
        else if (word === 0x4f || (word >= 0x51 && word <= 0x60)) {
          pushnum = true
          pushes.push(word === 0x4f ? '81' : (word - 0x50).toString(16).padStart(2, '0'))
        } else {
          closed = word === 0x68
          at++
          break
        }
      }
      if (closed) found.push({ envelope: { pushes, pushnum, stutter }, input, nth: found.length })
      else stutter = false
    }
    return found
  })
}

const KNOWN_EVEN = new Set(['02'])

function factsOf({ envelope: { pushes, pushnum, stutter }, input, nth }: Field) {
  const body = pushes.findIndex((push, i) => i % 2 === 0 && push === '')
  const header = body === -1 ? pushes : pushes.slice(0, body)
  const pairs: [string, string][] = []
  for (let i = 0; i + 1 < header.length; i += 2) pairs.push([header[i]!, header[i + 1]!])
  const of = (tag: string) => pairs.flatMap(([name, value]) => (name === tag ? [value] : []))
  const tags = pairs.map(([tag]) => tag)
  const even = tags.some(
    (tag) => Number.parseInt(tag.slice(0, 2), 16) % 2 === 0 && (!KNOWN_EVEN.has(tag) || of(tag).length > 1),
  )
  const [raw] = of('02')
  const pointer = raw === undefined || /[^0]/.test(raw.slice(16)) ? null : littleNumber(raw.slice(0, 16))
  return {
    pointer,
    unboundByRules: even,
    parents: of('03').flatMap((hex) => {
      if (hex.length < 64 || hex.length > 72) return []
      const index = hex.slice(64)
      if (index.length < 8 && index.endsWith('00')) return []
      const txid = hex.slice(0, 64).match(/../g)!.reverse().join('')
      return [`${txid}i${littleNumber(index)}`]
    }),
    broken:
      even ||
      new Set(tags).size < tags.length ||
      header.length % 2 === 1 ||
      input !== 0 ||
      nth !== 0 ||
      raw !== undefined ||
      pushnum ||
      stutter,
  }
}

const littleNumber = (hex: string) => Number.parseInt((hex.match(/../g) ?? []).reverse().join('') || '0', 16)
