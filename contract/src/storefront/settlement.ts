import { Type } from 'typebox'
import { PositiveSats } from '../amounts.ts'
import { Nullable, OneOf } from '../choices.ts'
import { CollectionSlug, DateTime, InscriptionId, Text, Txid } from '../scalars.ts'
import { SETTLEMENT_KINDS } from '../settlement-kinds.ts'
import { Count, Height, read } from './read.ts'

export const getSettlement = read('getSettlement', 'GET /settlements/{txid}', {
  summary: 'On-chain state of a trade or a withdrawal from escrow, by txid.',
  description:
    'Covers all trades, and transactions out of escrow: with the market (`reclaim`), to a new escrow (`move`), or by the wallet alone (`exit`). The state is `sending` until the network accepts the transaction, and `failed` once it can never confirm.',
  params: Type.Object({ txid: Txid }),
  answer: Type.Object(
    {
      txid: Txid,
      kind: OneOf(...SETTLEMENT_KINDS, 'reclaim', 'move', 'exit'),
      state: OneOf('sending', 'mempool', 'confirmed', 'failed'),
      sentAt: DateTime,
      blockHeight: Nullable(Height),
      minedAt: Nullable(DateTime),
      hasReceipt: Type.Boolean({ description: 'Whether `/receipts/{txid}` proves the trade.' }),
      confirmations: Count,
      items: Type.Array(
        Type.Object(
          {
            inscriptionId: InscriptionId,
            name: Text,
            contentType: Nullable(Type.String()),
            collectionSlug: Nullable(CollectionSlug),
            priceSats: Nullable(PositiveSats),
          },
          { title: 'SettledItem' },
        ),
      ),
    },
    { title: 'SettlementResponse' },
  ),
})
