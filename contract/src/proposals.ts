import { Type } from 'typebox'
import { NonnegativeSats, nonnegativeSats, PositiveSats } from './amounts.ts'
import { ImageRenderingHint, Nullable, OneOf } from './choices.ts'
import { operation } from './operation.ts'
import { pageQuery, RequestedPage } from './paging.ts'
import {
  Address,
  CollectionSlugInput,
  DateTime,
  HexColor,
  InscriptionId,
  Text,
  TraitText,
  Uuid,
} from './scalars.ts'

const closed = { additionalProperties: false }

const CollectionSummary = Type.Object(
  {
    id: Uuid,
    slug: Text,
    name: Text,
    cardBackgroundColor: Nullable(HexColor),
    previewInscriptionId: Type.Optional(InscriptionId),
    previewContentType: Type.Optional(Text),
    imageRenderingHint: Type.Optional(Nullable(ImageRenderingHint)),
  },
  { title: 'CollectionSummary', ...closed },
)

const OfferedItem = Type.Object(
  {
    inscriptionId: InscriptionId,
    inscriptionSequenceNumber: Type.String({ examples: ['0'] }),
    inscriptionUtxoValueSats: PositiveSats,
    inscriptionTitle: Type.Optional(Text),
    rawContentType: Type.Optional(Text),
    imageRenderingHint: Type.Optional(Nullable(ImageRenderingHint)),
    collection: Nullable(CollectionSummary),
  },
  { title: 'OfferedItem', ...closed },
)

const WantedTraitGroup = Type.Object(
  { type: TraitText, values: Type.Array(TraitText, { minItems: 1, maxItems: 16 }) },
  { title: 'WantedTraitGroup', ...closed },
)
const WantedTarget = Type.Union(
  [
    Type.Object({ kind: Type.Literal('all') }, { title: 'WantedAll', ...closed }),
    Type.Object(
      { kind: Type.Literal('traits'), traits: Type.Array(WantedTraitGroup, { minItems: 1, maxItems: 8 }) },
      { title: 'WantedTraits', ...closed },
    ),
    Type.Object(
      {
        kind: Type.Literal('inscriptions'),
        inscriptionIds: Type.Array(InscriptionId, { minItems: 1, maxItems: 50, uniqueItems: true }),
      },
      { title: 'WantedInscriptions', ...closed },
    ),
  ],
  { title: 'WantedTarget' },
)

const WantedLeg = Type.Object(
  {
    id: Uuid,
    collection: CollectionSummary,
    quantity: Type.Integer({ minimum: 1, maximum: 50 }),
    target: WantedTarget,
    specificItems: Type.Array(
      Type.Object(
        {
          inscriptionId: InscriptionId,
          inscriptionNumber: Type.Integer(),
          inscriptionTitle: Type.Optional(Text),
          rawContentType: Type.Optional(Text),
          imageRenderingHint: Type.Optional(Nullable(ImageRenderingHint)),
        },
        closed,
      ),
      { maxItems: 50 },
    ),
    estimatedUnitValueSats: Nullable(nonnegativeSats('Estimated value of one item by floor, or null.')),
  },
  { title: 'WantedLeg', ...closed },
)

/** Maximum inscriptions that a proposal requests. */
export const MAX_WANTED = 50

/** Maximum inscription ids in all targets of a proposal. */
export const MAX_NAMED = 250

export const proposedTerms = {
  offeredInscriptionIds: Type.Array(InscriptionId, { maxItems: 50, uniqueItems: true }),
  offeredBtcSats: NonnegativeSats,
  wantedLegs: Type.Array(
    Type.Object(
      {
        collectionSlug: CollectionSlugInput,
        quantity: Type.Integer({ minimum: 1, maximum: MAX_WANTED }),
        target: WantedTarget,
      },
      closed,
    ),
    { maxItems: 50 },
  ),
  requestedBtcSats: NonnegativeSats,
}

const members = {
  id: Uuid,
  creatorAddress: Address,
  offeredBtcSats: NonnegativeSats,
  requestedBtcSats: NonnegativeSats,
  estimatedOfferedValueSats: NonnegativeSats,
  estimatedRequestedValueSats: NonnegativeSats,
  marketplaceFeeSats: NonnegativeSats,
  offeredItems: Type.Array(OfferedItem, { maxItems: 50 }),
  wantedLegs: Type.Array(WantedLeg, { maxItems: 50 }),
  createdAt: DateTime,
  expiresAt: DateTime,
}

export const Proposal = Type.Object(
  { ...members, visibility: Type.Literal('public'), status: OneOf('active', 'expired') },
  { title: 'Proposal', ...closed },
)

export const OwnProposal = Type.Object(
  {
    ...members,
    visibility: OneOf('public', 'private'),
    state: OneOf('active', 'accepted', 'cancelled', 'expired'),
    available: Type.Boolean({
      description: 'False while an offered inscription is in a pending settlement or has moved.',
    }),
  },
  { title: 'OwnProposal', ...closed },
)

export const listTradeProposals = operation({
  id: 'listTradeProposals',
  method: 'GET',
  path: '/trading',
  area: 'P2P proposals',
  summary: 'Active public trade proposals, newest first.',
  description:
    'All amounts are in sats. With collectionSlug, only proposals that offer or request an item of the collection; an unknown slug returns an empty page with filterCollection null.',
  query: Type.Object({ ...pageQuery(50), collectionSlug: Type.Optional(CollectionSlugInput) }),
  answer: Type.Object(
    {
      proposals: Type.Array(Proposal),
      filterCollection: Nullable(CollectionSummary),
      pagination: RequestedPage,
    },
    { title: 'TradeListResponse', ...closed },
  ),
  statuses: [400, 401, 403, 429, 500],
  token: true,
  bucket: 'reads',
})
