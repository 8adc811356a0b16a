import {
  type Answer,
  acceptProposal,
  propose as proposeAt,
  settle as settleAt,
  VALIDITY_HOURS,
} from '@ordbook/sdk'
import { money } from '../amounts.ts'
import { Failure, UsageError } from '../failure.ts'
import { spendableCoins } from '../payment-coins.ts'
import { assertFilled, type OwnTerms, type WantedLeg } from '../swap-terms.ts'
import type { Column } from '../table.ts'
import type { Item, TradeSession } from '../trade-session.ts'
import { ALSO, ALSO_HELP, type Arguments, type Result, SPEND, SPEND_HELP, type Verb } from '../verb.ts'

type Proposal = Answer<'getProposal'>

export const PROPOSALS: Column[] = [
  { head: 'PROPOSAL', shorten: 'id' },
  { head: 'GIVES', shorten: 'id' },
  { head: 'WANTS', shorten: 'id' },
  { head: 'YOURS', optional: true },
]

export const swap: Verb = {
  usage: 'show | propose | accept PROPOSAL | settle ACCEPTANCE | cancel PROPOSAL',
  summary: 'Trade inscriptions and sats with another person',
  details: `  show                 Show open proposals, and acceptances of your proposals
  propose              Propose a trade:
    --give ID            Inscription to give; repeatable
    --give-sats AMOUNT   Sats to give
    --want SLUG[:N]|ID   Wanted inscriptions: N of a collection, or a single one; repeatable
    --want-sats AMOUNT   Wanted sats
    --private            Hide the proposal from everyone who does not have its id
    --hours N            Validity: 6, 12, 24, 168, 720 or 2160 hours
  accept PROPOSAL      Sign your side; the other side signs last. Confirm the terms:
    --with ID            Inscription of yours for a wanted one; repeatable
    --get ID             Inscription that you receive; repeatable
    --get-sats AMOUNT    Sats that you receive
    --pay-sats AMOUNT    Sats that you pay
    --max-market AMOUNT  Maximum market fee (default: 0)
    --max-network AMOUNT Maximum network fee
  settle ACCEPTANCE    Sign last, and complete an acceptance of your proposal
    --get ID             Inscription to accept for any item of a collection; repeatable
    --give, --give-sats, --want, --want-sats
                         Repeat the terms if the proposal was not created with this command
  cancel PROPOSAL      Withdraw a proposal
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
  run(desk, args) {
    const [step = 'show', id, ...more] = args.words
    if (more.length > 0) throw new UsageError(`unexpected argument: ${more.join(' ')}`)
    if (step === 'show' && id === undefined) return show(desk)
    if (step === 'propose' && id === undefined) return propose(desk, args)
    if (id === undefined) throw new UsageError(`swap ${step}: the id is missing`)
    if (step === 'accept') return accept(desk, args, id)
    if (step === 'settle') return settle(desk, args, id)
    if (step === 'cancel') return cancel(desk, id)
    throw new UsageError(`unknown command: swap ${step}`)
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

async function show(desk: TradeSession): Promise<Result> {
  await desk.trader()
  const [open, own, received] = await Promise.all([
    desk.client.call('listTradeProposals', { query: {} }),
    desk.client.call('listOwnProposals', { query: {} }),
    desk.client.call('listAcceptances', { query: { view: 'received' } }),
  ])
  const ownIds = new Set(own.proposals.map(({ id }) => id))
  const rows = open.proposals.map((proposal) => [
    proposal.id,
    sideOf(
      proposal.offeredItems.map(({ inscriptionId }) => inscriptionId),
      proposal.offeredBtcSats,
    ),
    wantedOf(proposal),
    ownIds.has(proposal.id) ? 'yes' : '',
  ])
  return {
    document: { proposals: open.proposals, own: own.proposals, acceptances: received.acceptances },
    text: [
      ...(rows.length > 0 ? desk.out.table(PROPOSALS, rows) : ['no open proposals']),
      ...received.acceptances.map(
        ({ acceptanceId, proposal, state }) => `${proposal.id} was accepted: ${acceptanceId}, ${state}`,
      ),
    ],
  }
}

async function propose(desk: TradeSession, args: Arguments): Promise<Result> {
  const terms = await termsOf(desk, args)
  const validityHours = args.choice('hours', VALIDITY_HOURS)
  const proposal = {
    visibility: args.has('private') ? ('private' as const) : ('public' as const),
    offeredInscriptionIds: [...terms.gives],
    offeredBtcSats: terms.giveSats,
    wantedLegs: [...terms.wantedLegs],
    requestedBtcSats: terms.wantSats,
    ...(validityHours === undefined ? {} : { validityHours }),
  }
  if (desk.flags.isDryRun)
    return {
      document: { dryRun: true, proposal },
      text: 'dry run: no proposal was created (a proposal needs no signature)',
    }
  const trader = await desk.trader()
  const coins =
    proposal.offeredBtcSats > 0 ? await spendableCoins(desk, trader.walletBindingId, args.spend()) : []
  const created = await proposeAt(trader, proposal, coins)
  await desk.keepProposal(created.id, terms)
  return { document: created, text: `proposed: ${created.id}` }
}

async function termsOf(desk: TradeSession, args: Arguments): Promise<OwnTerms> {
  const wantedLegs: WantedLeg[] = []
  for (const wanted of args.all('want')) wantedLegs.push(await legOf(desk, args, wanted))
  return {
    gives: args.has('give') ? args.ids(args.all('give')) : [],
    giveSats: args.amount('give-sats') ?? 0,
    wantedLegs,
    wantSats: args.amount('want-sats') ?? 0,
  }
}

async function legOf(desk: TradeSession, args: Arguments, wanted: string): Promise<WantedLeg> {
  const [slug = '', quantity = '1'] = wanted.split(':')
  if (!/^[0-9a-f]{64}i\d+$/.test(wanted)) {
    if (!/^[1-9]\d?$/.test(quantity))
      throw new UsageError(`--want: found ${wanted}, expected SLUG, SLUG:N or ID`)
    return { collectionSlug: slug, quantity: Number(quantity), target: { kind: 'all' } }
  }
  const inscriptionIds = args.ids([wanted])
  const items = await desk.items(inscriptionIds)
  return { collectionSlug: desk.slugOf(items), quantity: 1, target: { kind: 'inscriptions', inscriptionIds } }
}

const named = (items: readonly Item[], alsoGoes?: readonly string[]) =>
  items.map(({ inscriptionId, coin }) => ({ inscriptionId, coin, ...(alsoGoes ? { alsoGoes } : {}) }))

async function accept(desk: TradeSession, args: Arguments, proposalId: string): Promise<Result> {
  const proposal = await desk.client.call('getProposal', { params: { proposalId } })
  const getIds = args.has('get') ? args.ids(args.all('get')) : []
  const netSats = (args.amount('get-sats') ?? 0) - (args.amount('pay-sats') ?? 0)
  const maxMarketSats = args.amount('max-market') ?? 0
  demandProposed(proposal, { getIds, netSats, maxMarketSats })
  const gives = args.has('with') ? await desk.items(args.ids(args.all('with'))) : []
  const fills = fillsOf(proposal, gives)
  const gets = await itemsOf(desk, getIds)
  const trader = await desk.trader()
  const accepted = await acceptProposal(trader, proposalId, fills, {
    gives: named(gives, args.also()),
    gets: named(gets),
    netSats,
    coins: await spendableCoins(desk, trader.walletBindingId, args.spend()),
    maxMarketSats,
    maxNetworkSats: args.amount('max-network') ?? desk.config.maxNetworkSats,
  })
  return { document: accepted, text: `accepted: ${accepted.acceptanceId}; the other side signs last` }
}

/** Rejects a proposal that differs from the arguments before the wallet prompts. Throws Failure. */
function demandProposed(
  proposal: Proposal,
  agreed: { getIds: readonly string[]; netSats: number; maxMarketSats: number },
): void {
  const { offeredItems, offeredBtcSats, requestedBtcSats, marketplaceFeeSats } = proposal
  const offered = offeredItems.map(({ inscriptionId }) => inscriptionId)
  const options = [
    ...offered.map((id) => `--get ${id}`),
    ...(offeredBtcSats > 0 ? [`--get-sats ${offeredBtcSats}`] : []),
    ...(requestedBtcSats > 0 ? [`--pay-sats ${requestedBtcSats}`] : []),
  ]
  if (
    offered.length !== agreed.getIds.length ||
    !offered.every((id) => agreed.getIds.includes(id)) ||
    offeredBtcSats - requestedBtcSats !== agreed.netSats
  )
    throw new Failure(
      'other-terms',
      `the proposal has other terms: to agree to them, pass ${options.join(' ')}`,
    )
  if (marketplaceFeeSats > agreed.maxMarketSats)
    throw new Failure(
      'market-fee',
      `the market charges ${money(marketplaceFeeSats)} for this swap: allow it with --max-market ${marketplaceFeeSats}`,
    )
}

const itemsOf = (desk: TradeSession, ids: readonly string[]): Promise<Item[]> =>
  ids.length === 0 ? Promise.resolve([]) : desk.items(ids)

/** Assigns inscriptions to wanted legs: named legs first, then legs for any item of a collection. Throws Failure. */
function fillsOf({ wantedLegs }: Proposal, gives: readonly Item[]) {
  const remaining = [...gives]
  const isNamed = ({ target }: Proposal['wantedLegs'][number]) => target.kind === 'inscriptions'
  const legs = [...wantedLegs].sort((a, b) => Number(isNamed(b)) - Number(isNamed(a)))
  const fills = legs.flatMap(({ id: legId, quantity, target, collection }) =>
    Array.from({ length: quantity }, () => {
      const at = remaining.findIndex(({ inscriptionId, slug }) =>
        target.kind === 'inscriptions'
          ? target.inscriptionIds.includes(inscriptionId)
          : slug === collection.slug,
      )
      const [item] = at < 0 ? [] : remaining.splice(at, 1)
      if (!item) throw new Failure('not-filled', `choose ${quantity} of ${collection.slug} with --with`)
      return { legId, inscriptionId: item.inscriptionId }
    }),
  )
  if (remaining.length > 0)
    throw new UsageError(`${remaining[0]!.inscriptionId} is not wanted by this proposal`)
  return fills
}

async function settle(desk: TradeSession, args: Arguments, acceptanceId: string): Promise<Result> {
  const trader = await desk.trader()
  const { acceptances } = await desk.client.call('listAcceptances', {
    query: { view: 'received', limit: 50 },
  })
  const acceptance = acceptances.find((entry) => entry.acceptanceId === acceptanceId)
  if (!acceptance)
    throw new Failure('no-such-acceptance', `acceptance ${acceptanceId} not found among your proposals`)
  const terms = await ownTermsOf(desk, args, acceptance.proposal.id)
  const arriving = acceptance.items
    .filter((item) => item.from === 'acceptor')
    .map(({ inscriptionId }) => inscriptionId)
  assertFilled(terms, arriving, args.has('get') ? args.ids(args.all('get')) : [])
  const settled = await settleAt(trader, acceptanceId, {
    gives: named(await itemsOf(desk, terms.gives), args.also()),
    gets: named(await itemsOf(desk, arriving)),
    netSats: terms.wantSats - terms.giveSats,
    coins: terms.giveSats > 0 ? await spendableCoins(desk, trader.walletBindingId, args.spend()) : [],
  })
  return { document: settled, text: `completed: ${settled.expectedSettlementTxid}` }
}

/** Returns the terms of a proposal, from the arguments or as stored. Throws Failure. */
async function ownTermsOf(desk: TradeSession, args: Arguments, proposalId: string): Promise<OwnTerms> {
  if (['give', 'give-sats', 'want', 'want-sats'].some((name) => args.has(name))) return termsOf(desk, args)
  const { proposals } = await desk.state()
  if (!Object.hasOwn(proposals, proposalId))
    throw new Failure(
      'proposal-not-kept',
      `proposal ${proposalId} was not created with this command: repeat its terms with --give, --give-sats, --want and --want-sats`,
    )
  return proposals[proposalId]!
}

async function cancel(desk: TradeSession, proposalId: string): Promise<Result> {
  await desk.trader()
  const cancelled = await desk.client.call('cancelProposal', { params: { proposalId } })
  return { document: cancelled, text: `withdrew proposal ${proposalId}` }
}
