import { declineBids, rejectCounter, rejectOffer } from '@ordbook/sdk'
import { Failure, UsageError } from '../failure.ts'
import { findOffer } from '../offers.ts'
import type { TradeSession } from '../trade-session.ts'
import type { Arguments, Result, Verb } from '../verb.ts'

export const decline: Verb = {
  usage: 'ID OFFER | ID --bids [--undo]',
  summary: 'Decline an offer for your inscription, or a counter to your offer, without a signature',
  details: `  --bids               Decline all collection and trait offers on the inscription, also later ones
  --undo               Allow them again`,
  options: { bids: { type: 'boolean' }, undo: { type: 'boolean' } },
  run(desk, args) {
    if (args.has('undo') && !args.has('bids')) throw new UsageError('--undo requires --bids')
    return args.has('bids') ? bids(desk, args) : one(desk, args)
  },
}

async function one(desk: TradeSession, args: Arguments): Promise<Result> {
  const { inscriptionId, offerId } = args.order()
  const items = await desk.items([inscriptionId])
  const trader = await desk.trader()
  const { kind, collectionSlug, sellerAddress } = await findOffer(desk, items[0]!, offerId)
  if (collectionSlug !== null)
    throw new Failure(
      'not-one-item',
      `${offerId} is an offer on ${collectionSlug}: decline all of these on ${inscriptionId} with --bids`,
    )
  const isCounter = kind === 'seller_counter'
  if (isCounter && sellerAddress === trader.wallet.ordinalsAddress)
    throw new Failure('own-counter', `${offerId} is your counter: cancel it with ordbook counter --cancel`)
  const what = isCounter ? 'counter' : 'offer'
  if (desk.flags.isDryRun)
    return { document: { dryRun: true, offerId, kind }, text: `would decline ${what} ${offerId}` }
  const at = { id: inscriptionId, offerId }
  const declined = await (isCounter ? rejectCounter(trader, at) : rejectOffer(trader, at))
  return { document: declined, text: `declined ${what} ${offerId}` }
}

async function bids(desk: TradeSession, args: Arguments): Promise<Result> {
  const [inscriptionId] = args.ids([args.only('an inscription id')])
  const isDeclined = !args.has('undo')
  const trader = await desk.trader()
  const change = isDeclined ? 'decline' : 'allow'
  if (desk.flags.isDryRun)
    return {
      document: { dryRun: true, inscriptionId, declined: isDeclined },
      text: `would ${change} collection and trait offers on ${inscriptionId}`,
    }
  const document = await declineBids(trader, inscriptionId!, isDeclined)
  return { document, text: `${change} collection and trait offers on ${inscriptionId}: done` }
}
