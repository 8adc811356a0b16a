import { Type } from 'typebox'
import { Bps, PositiveSats } from '../amounts.ts'
import { carries } from '../carried.ts'
import { ImageRenderingHint, ListingState, Nullable, OneOf, VerificationStatus } from '../choices.ts'
import { Address, CollectionSlug, DateTime, InscriptionId, Text, Txid, Uuid } from '../scalars.ts'
import { SpendableUtxo } from '../signing.ts'
import { Count, Height, inCollection, Rank, read } from './read.ts'

export const Relative = Type.Object({
  inscriptionId: InscriptionId,
  inscriptionNumber: Nullable(Type.Integer()),
  contentType: Nullable(Type.String()),
})

const Neighbour = Type.Object({ inscriptionId: InscriptionId, name: Text }, { title: 'ItemNeighbour' })

export const getInscription = read('getInscription', 'GET /inscriptions/{id}', {
  summary: 'An inscription with its details, provenance, previous owners, listing and offers.',
  params: Type.Object({ id: InscriptionId }),
  answer: Type.Object(
    {
      inscriptionId: InscriptionId,
      inscriptionNumber: Nullable(Type.Integer()),
      name: Text,
      contentType: Nullable(Type.String()),
      contentBytes: Nullable(Count),
      owner: Nullable(Address),
      outpoint: Nullable(SpendableUtxo),
      /** Null if the inscription is not in escrow. */
      escrow: Nullable(
        Type.Object(
          { owner: Address, escrowForm: OneOf('published', 'wallet') },
          { title: 'InscriptionEscrow' },
        ),
      ),
      declinesBids: Type.Boolean(),
      satOffset: Nullable(Count),
      sat: Nullable(Count),
      satributes: Type.Array(Text),
      cursed: Type.Boolean(),
      genesisHeight: Height,
      inscribedAt: DateTime,
      delegateId: Nullable(InscriptionId),
      metaprotocol: Nullable(Type.String()),
      parents: Type.Array(Relative),
      children: Type.Array(Relative),
      childCount: Count,
      collections: Type.Array(
        Type.Object({
          slug: CollectionSlug,
          name: Text,
          verificationStatus: VerificationStatus,
          floorSats: Nullable(PositiveSats),
          itemCount: Count,
          imageRenderingHint: Nullable(ImageRenderingHint),
          rank: Nullable(Rank),
          traits: Type.Array(
            Type.Object({ type: Text, value: Text, count: Count, floorSats: Nullable(PositiveSats) }),
          ),
        }),
      ),
      /** By number, in the first of `collections`. Null if the item is in none. */
      neighbours: Nullable(
        Type.Object(
          {
            place: Nullable(
              Type.Integer({
                minimum: 1,
                description: 'Position of the item; null beyond the first 20,000.',
              }),
            ),
            previous: Nullable(Neighbour),
            next: Nullable(Neighbour),
          },
          { title: 'ItemNeighbours' },
        ),
      ),
      listing: Nullable(
        Type.Object(
          {
            listingId: Uuid,
            state: ListingState,
            priceSats: PositiveSats,
            listedAt: DateTime,
            expiresAt: Nullable(DateTime),
          },
          { title: 'InscriptionListing' },
        ),
      ),
      moves: Type.Array(
        Type.Object({
          height: Height,
          at: DateTime,
          txid: Txid,
          fromAddress: Nullable(Address),
          toAddress: Nullable(Address),
          priceSats: Nullable(PositiveSats),
          external: Type.Boolean(),
        }),
      ),
      /** First block with a complete move history; null if no move is missing. */
      movesFrom: Nullable(Height),
    },
    { title: 'InscriptionResponse' },
  ),
})

const SomeInscriptions = Type.String({
  description: '1 to 20 inscription ids, separated by commas.',
  pattern: '^[a-f0-9]{64}i[0-9]{1,10}(,[a-f0-9]{64}i[0-9]{1,10}){0,19}$',
  maxLength: 1540,
  examples: [`${'0'.repeat(64)}i0`],
})

export const listItems = read('listItems', 'GET /items', {
  summary: 'Names of inscriptions and the collections in which they are traded. Omits unknown inscriptions.',
  query: Type.Object({ inscriptionIds: SomeInscriptions }),
  answer: Type.Object(
    {
      items: Type.Array(
        Type.Object({
          inscriptionId: InscriptionId,
          name: Text,
          ...inCollection,
          sellerRoyaltyBps: Nullable(Bps),
        }),
      ),
    },
    { title: 'ItemNamesResponse' },
  ),
})

export const listCarries = read('listCarries', 'GET /carries', {
  summary: "Other contents of inscriptions' coins: runes, other inscriptions and rare sats.",
  query: Type.Object({ inscriptionIds: SomeInscriptions }),
  answer: Type.Object(carries, { title: 'CarriesResponse' }),
  sameForAll: false,
  statuses: [400, 429, 500, 503],
})

/** A bid that the owner can accept now, with its net after fees. */
export const BestBid = Type.Object(
  {
    offerId: Uuid,
    collectionSlug: Nullable(CollectionSlug),
    priceSats: PositiveSats,
    netSats: PositiveSats,
  },
  { title: 'BestBid' },
)
