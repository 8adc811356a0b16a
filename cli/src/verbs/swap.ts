import {
  type Answer,
  acceptProposal,
  propose as proposeAt,
  settle as settleAt,
  VALIDITY_HOURS,
} from '@ordbook/sdk'
import { money } from '../amounts.ts'
import type { Desk, Item } from '../desk.ts'
import { Failure, UsageError } from '../failure.ts'
import { columns } from '../output.ts'
import { spendableCoins } from '../payment-coins.ts'
import { demandFilled, type OwnTerms, type WantedLeg } from '../swap-terms.ts'
import { ALSO, ALSO_HELP, type Arguments, type Result, SPEND, SPEND_HELP, type Verb } from '../verb.ts'

type Proposal = Answer<'getProposal'>

export const swap: Verb = {
  usage: 'show | propose | accept PROPOSAL | settle ACCEPTANCE | cancel PROPOSAL',
  summary: 'trades inscriptions and sats with another person',
  details: `  show                 open proposals, and accepted ones of yours
  propose              asks for a trade:
    --give ID            an inscription that you give; may be repeated
    --give-sats AMOUNT   sats that you give
    --want SLUG[:N]|ID   inscriptions that you want: N of a collection, or one; may be repeated
    --want-sats AMOUNT   sats that you want
    --private            shown only to those who know its id
    --hours N            for 6, 12, 24, 168, 720 or 2160 hours
  accept PROPOSAL      signs your side; it completes when the other side signs too. Name all that you agree to:
    --with ID            an inscription of yours for a wanted one; may be repeated
    --get ID             an inscription that you get; may be repeated
    --get-sats AMOUNT    sats that you get
    --pay-sats AMOUNT    sats that you pay
    --max-market AMOUNT  most that the market may take (default: nothing)
    --max-network AMOUNT most that the network may take
  settle ACCEPTANCE    signs the other side of an acceptance of your proposal, and completes it
    --get ID             an inscription that you take for any of a collection; may be repeated
    --give, --give-sats, --want, --want-sats: the terms again, if the proposal was not made here
  cancel PROPOSAL      takes a proposal back
${ALSO_HELP}
${SPEND_HELP}`,
  options: {
    give: { type: 'string', multiple: true },
    'give-sats': { type: 'string' },
    want: { type: 'string', multiple: true },
    'want-sats': { type: 'string' },
    private: { type: 'boolean' },
    hours: { type: 'string' },
    with: { type: 'string', multiple: true },
    get: { type: 'string', multiple: true },
    'get-sats': { type: 'string' },
    'pay-sats': { type: 'string' },
    'max-market': { type: 'string' },
    'max-network': { type: 'string' },
    ...ALSO,
    ...SPEND,
  },
  run(desk, given) {
    const [step = 'show', id, ...more] = given.words
    if (more.length > 0) throw new UsageError(`${more.join(' ')}: not expected`)
    if (step === 'show' && id === undefined) return show(desk)
    if (step === 'propose' && id === undefined) return propose(desk, given)
    if (id === undefined) throw new UsageError(`swap ${step}: an id is missing`)
    if (step === 'accept') return accept(desk, given, id)
    if (step === 'settle') return settle(desk, given, id)
    if (step === 'cancel') return cancel(desk, id)
    throw new UsageError(`swap ${step}: unknown`)
  },
}

const sideOf = (ids: readonly string[], sats: number) =>
  [...ids, ...(sats > 0 ? [money(sats)] : [])].join(', ') || 'nothing'

const wantedOf = ({ wantedLegs, requestedBtcSats }: Pick<Proposal, 'wantedLegs' | 'requestedBtcSats'>) =>
  sideOf(
    wantedLegs.map(({ quantity, collection, target }) =>
      target.kind === 'inscriptions' ? target.inscriptionIds.join(', ') : `${quantity} of ${collection.slug}`,
    ),
    requestedBtcSats,
  )

async function show(desk: Desk): Promise<Result> {
  await desk.trader()
  const [open, own, received] = await Promise.all([
    desk.client.call('listTradeProposals', { query: {} }),
    desk.client.call('listOwnProposals', { query: {} }),
    desk.client.call('listAcceptances', { query: { view: 'received' } }),
  ])
  const mine = new Set(own.proposals.map(({ id }) => id))
  const rows = open.proposals.map((each) => [
    each.id,
    `gives ${sideOf(
      each.offeredItems.map(({ inscriptionId }) => inscriptionId),
      each.offeredBtcSats,
    )}`,
    `wants ${wantedOf(each)}`,
    mine.has(each.id) ? 'yours' : '',
  ])
  return {
    document: { proposals: open.proposals, own: own.proposals, acceptances: received.acceptances },
    text: [
      rows.length > 0 ? columns(rows) : 'no proposals are open',
      ...received.acceptances.map(
        ({ acceptanceId, proposal, state }) => `${proposal.id} was accepted: ${acceptanceId}, ${state}`,
      ),
    ].join('\n'),
  }
}

async function propose(desk: Desk, given: Arguments): Promise<Result> {
  const terms = await termsOf(desk, given)
  const validityHours = given.choice('hours', VALIDITY_HOURS)
  const proposal = {
    visibility: given.has('private') ? ('private' as const) : ('public' as const),
    offeredInscriptionIds: [...terms.gives],
    offeredBtcSats: terms.giveSats,
    wantedLegs: [...terms.wantedLegs],
    requestedBtcSats: terms.wantSats,
    ...(validityHours === undefined ? {} : { validityHours }),
  }
  if (desk.flags.isDryRun)
    return {
      document: { dryRun: true, proposal },
      text: 'nothing is signed by a proposal, and none was made',
    }
  const trader = await desk.trader()
  const coins =
    proposal.offeredBtcSats > 0 ? await spendableCoins(desk, trader.walletBindingId, given.spend()) : []
  const made = await proposeAt(trader, proposal, coins)
  await desk.keepProposal(made.id, terms)
  return { document: made, text: `proposed: ${made.id}` }
}

/** The terms of a proposal by its arguments. */
async function termsOf(desk: Desk, given: Arguments): Promise<OwnTerms> {
  const wantedLegs: WantedLeg[] = []
  for (const wanted of given.all('want')) wantedLegs.push(await legOf(desk, given, wanted))
  return {
    gives: given.has('give') ? given.ids(given.all('give')) : [],
    giveSats: given.amount('give-sats') ?? 0,
    wantedLegs,
    wantSats: given.amount('want-sats') ?? 0,
  }
}

async function legOf(desk: Desk, given: Arguments, wanted: string): Promise<WantedLeg> {
  const [slug = '', quantity = '1'] = wanted.split(':')
  if (!/^[0-9a-f]{64}i\d+$/.test(wanted)) {
    if (!/^[1-9]\d?$/.test(quantity))
      throw new UsageError(`--want: found ${wanted}, expected SLUG, SLUG:N or ID`)
    return { collectionSlug: slug, quantity: Number(quantity), target: { kind: 'all' } }
  }
  const inscriptionIds = given.ids([wanted])
  const items = await desk.items(inscriptionIds)
  return { collectionSlug: desk.slugOf(items), quantity: 1, target: { kind: 'inscriptions', inscriptionIds } }
}

const named = (items: readonly Item[], alsoGoes?: readonly string[]) =>
  items.map(({ inscriptionId, coin }) => ({ inscriptionId, coin, ...(alsoGoes ? { alsoGoes } : {}) }))

async function accept(desk: Desk, given: Arguments, proposalId: string): Promise<Result> {
  const proposal = await desk.client.call('getProposal', { params: { proposalId } })
  const getIds = given.has('get') ? given.ids(given.all('get')) : []
  const netSats = (given.amount('get-sats') ?? 0) - (given.amount('pay-sats') ?? 0)
  const maxMarketSats = given.amount('max-market') ?? 0
  demandProposed(proposal, { getIds, netSats, maxMarketSats })
  const gives = given.has('with') ? await desk.items(given.ids(given.all('with'))) : []
  const fills = fillsOf(proposal, gives)
  const gets = await itemsOf(desk, getIds)
  const trader = await desk.trader()
  const accepted = await acceptProposal(trader, proposalId, fills, {
    gives: named(gives, given.also()),
    gets: named(gets),
    netSats,
    coins: await spendableCoins(desk, trader.walletBindingId, given.spend()),
    maxMarketSats,
    maxNetworkSats: given.amount('max-network') ?? desk.config.maxNetworkSats,
  })
  return { document: accepted, text: `accepted: ${accepted.acceptanceId}; the other side signs last` }
}

/** Reports early that a proposal differs from the arguments. The check before signing does not rely on it. Throws Failure. */
function demandProposed(
  proposal: Proposal,
  agreed: { getIds: readonly string[]; netSats: number; maxMarketSats: number },
): void {
  const { offeredItems, offeredBtcSats, requestedBtcSats, marketplaceFeeSats } = proposal
  const offered = offeredItems.map(({ inscriptionId }) => inscriptionId)
  const words = [
    ...offered.map((id) => `--get ${id}`),
    ...(offeredBtcSats > 0 ? [`--get-sats ${offeredBtcSats}`] : []),
    ...(requestedBtcSats > 0 ? [`--pay-sats ${requestedBtcSats}`] : []),
  ]
  if (
    offered.length !== agreed.getIds.length ||
    !offered.every((id) => agreed.getIds.includes(id)) ||
    offeredBtcSats - requestedBtcSats !== agreed.netSats
  )
    throw new Failure('other-terms', `the proposal says otherwise: agree to it with ${words.join(' ')}`)
  if (marketplaceFeeSats > agreed.maxMarketSats)
    throw new Failure(
      'market-fee',
      `the market takes ${money(marketplaceFeeSats)} of this swap: allow it with --max-market ${marketplaceFeeSats}`,
    )
}

const itemsOf = (desk: Desk, ids: readonly string[]): Promise<Item[]> =>
  ids.length === 0 ? Promise.resolve([]) : desk.items(ids)

/** Own inscriptions for the wanted ones: named legs first, then legs for any item of a collection. Throws Failure. */
function fillsOf({ wantedLegs }: Proposal, gives: readonly Item[]) {
  const left = [...gives]
  const isNamed = ({ target }: Proposal['wantedLegs'][number]) => target.kind === 'inscriptions'
  const legs = [...wantedLegs].sort((a, b) => Number(isNamed(b)) - Number(isNamed(a)))
  const fills = legs.flatMap(({ id: legId, quantity, target, collection }) =>
    Array.from({ length: quantity }, () => {
      const at = left.findIndex(({ inscriptionId, slug }) =>
        target.kind === 'inscriptions'
          ? target.inscriptionIds.includes(inscriptionId)
          : slug === collection.slug,
      )
      const [item] = at < 0 ? [] : left.splice(at, 1)
      if (!item) throw new Failure('not-filled', `name ${quantity} of ${collection.slug} by --with`)
      return { legId, inscriptionId: item.inscriptionId }
    }),
  )
  if (left.length > 0) throw new UsageError(`${left[0]!.inscriptionId} is not wanted by this proposal`)
  return fills
}

async function settle(desk: Desk, given: Arguments, acceptanceId: string): Promise<Result> {
  const trader = await desk.trader()
  const { acceptances } = await desk.client.call('listAcceptances', {
    query: { view: 'received', limit: 50 },
  })
  const acceptance = acceptances.find((each) => each.acceptanceId === acceptanceId)
  if (!acceptance)
    throw new Failure('no-such-acceptance', `your proposals have no acceptance ${acceptanceId}`)
  const terms = await ownTermsOf(desk, given, acceptance.proposal.id)
  const arriving = acceptance.items
    .filter((each) => each.from === 'acceptor')
    .map(({ inscriptionId }) => inscriptionId)
  demandFilled(terms, arriving, given.has('get') ? given.ids(given.all('get')) : [])
  const settled = await settleAt(trader, acceptanceId, {
    gives: named(await itemsOf(desk, terms.gives), given.also()),
    gets: named(await itemsOf(desk, arriving)),
    netSats: terms.wantSats - terms.giveSats,
    coins: terms.giveSats > 0 ? await spendableCoins(desk, trader.walletBindingId, given.spend()) : [],
  })
  return { document: settled, text: `completed: ${settled.expectedSettlementTxid}` }
}

/** The terms of a proposal: as stored, or as repeated in the arguments. Throws Failure. */
async function ownTermsOf(desk: Desk, given: Arguments, proposalId: string): Promise<OwnTerms> {
  if (['give', 'give-sats', 'want', 'want-sats'].some((name) => given.has(name))) return termsOf(desk, given)
  const { proposals } = await desk.state()
  if (!Object.hasOwn(proposals, proposalId))
    throw new Failure(
      'proposal-not-kept',
      `the proposal ${proposalId} was not made here: name what you give and want again, with --give, --give-sats, --want and --want-sats`,
    )
  return proposals[proposalId]!
}

async function cancel(desk: Desk, proposalId: string): Promise<Result> {
  await desk.trader()
  const gone = await desk.client.call('cancelProposal', { params: { proposalId } })
  return { document: gone, text: `took the proposal ${proposalId} back` }
}
