import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Agreement, Contents, TradedItem } from './agreement.ts'
import { contentRulesOf, extraName, extrasOf, withContents } from './extras.ts'

const item = (
  inscriptionId: string,
  goes: TradedItem['goes'],
  carries: TradedItem['carries'] = [],
): TradedItem => ({
  inscriptionId,
  name: `Item ${inscriptionId}`,
  contentType: null,
  collection: null,
  outpoint: `${'0'.repeat(64)}:${inscriptionId}`,
  offset: 0,
  valueSats: 10_000,
  carries,
  listedForSats: null,
  goes,
})
const content = (kind: Contents['kind'], name: string, offset: number | null = 700): Contents => ({
  of: '',
  kind,
  name,
  ...(kind === 'rune' ? { amount: '12.5' } : {}),
  offset: kind === 'inscription' ? offset : null,
  item: null,
})
const swap = (gives: readonly TradedItem[], gets: readonly TradedItem[]): Agreement => ({
  kind: 'swap',
  gives,
  gets,
  netSats: 0,
  completes: false,
  endsAt: null,
})
const OTHER = content('inscription', 'other')
const RUNES = content('rune', 'FERRO•SPARK')
const RARE = content('rare-sat', '123')
const UNPROVEN = content('unproven', 'runes')

describe('contentRulesOf', () => {
  it.each<[string, TradedItem['goes'], Contents[], blocking: number, ticks: number]>([
    ['gives another inscription', 'leaves', [OTHER], 1, 0],
    ['gives runes', 'leaves', [RUNES], 1, 0],
    ['gives a rare sat', 'leaves', [RARE], 0, 1],
    ['gives an inscription on the same sat', 'leaves', [content('inscription', 'same', 0)], 0, 1],
    ['gives both', 'leaves', [OTHER, RARE], 1, 1],
    ['gives a coin that may have runes', 'leaves', [UNPROVEN], 0, 1],
    ['gets a coin that may have runes', 'arrives', [UNPROVEN], 0, 0],
    ['gets everything', 'arrives', [OTHER, RUNES, RARE], 0, 1],
    ['moves its own coin', 'stays', [OTHER, RUNES, RARE], 0, 0],
  ])('%s', (_, goes, carries, blocking, ticks) => {
    const one = item('1', goes, carries)
    const rules = contentRulesOf({
      kind: 'list',
      listed: [{ item: one, priceSats: 1 }],
      isInEscrow: false,
      days: 1,
    })
    expect([rules.blocking.length, rules.ticks.length]).toEqual([blocking, ticks])
  })

  it('allows a trade of items to include other inscriptions of a coin', () => {
    expect(contentRulesOf(swap([item('1', 'leaves', [OTHER])], []))).toEqual({
      blocking: [],
      ticks: ['I know that inscription other…other leaves with the item.'],
      isUnreported: false,
    })
    expect(contentRulesOf(swap([item('1', 'leaves', [RUNES])], [])).blocking).toHaveLength(1)
  })

  it('requires the giver to know what the market cannot report', () => {
    expect(contentRulesOf(swap([item('1', 'leaves', 'failed')], []))).toEqual({
      blocking: [],
      ticks: ['I know what my coins contain.'],
      isUnreported: true,
    })
    expect(contentRulesOf(swap([], [item('1', 'arrives', 'failed')]))).toMatchObject({
      ticks: [],
      isUnreported: true,
    })
    expect(contentRulesOf(swap([item('1', 'leaves', 'unchecked')], []))).toMatchObject({
      ticks: [],
      isUnreported: false,
    })
  })

  it('blocks or names everything that leaves or arrives', () => {
    const contents = fc.array(
      fc.record({
        kind: fc.constantFrom<Contents['kind']>('rune', 'inscription', 'rare-sat', 'unproven'),
        name: fc.stringMatching(/^[a-z]{3,8}$/),
        offset: fc.option(fc.nat(2)),
      }),
      { maxLength: 5 },
    )
    const side = (goes: TradedItem['goes']) =>
      fc.array(contents, { maxLength: 3 }).map((all) =>
        all.map((carried, n) =>
          item(
            `${goes} ${n}`,
            goes,
            carried.map(({ kind, name, offset }) => content(kind, name, offset)),
          ),
        ),
      )
    fc.assert(
      fc.property(side('leaves'), side('arrives'), (gives, gets) => {
        const agreement = swap(gives, gets)
        const { blocking, ticks } = contentRulesOf(agreement)
        for (const extra of extrasOf(agreement)) {
          const isKnown =
            blocking.some(({ contents }) => contents === extra.contents) ||
            ticks.some((text) => text.includes(extraName(extra)))
          expect(isKnown).toBe(true)
        }
        expect(blocking.every((extra) => extra.item.goes === 'leaves')).toBe(true)
      }),
    )
  })
})

it('replaces the contents of every item', () => {
  const agreements: Agreement[] = [
    { kind: 'buy', bought: [{ item: item('1', 'arrives', 'failed'), priceSats: 1 }] },
    {
      kind: 'list',
      listed: [{ item: item('1', 'leaves', 'failed'), priceSats: 1 }],
      isInEscrow: false,
      days: 1,
    },
    { kind: 'offer', item: item('1', 'arrives', 'failed'), priceSats: 1 },
    { kind: 'split', items: [item('1', 'stays', 'failed')], maxNetworkSats: 1 },
    swap([item('1', 'leaves', 'failed')], [item('1', 'arrives', 'failed')]),
  ]
  for (const agreement of agreements)
    expect(extrasOf(withContents(agreement, () => [RUNES])).length).toBeGreaterThan(0)
})
