import { Type } from 'typebox'
import { PositiveSats } from '../amounts.ts'
import { ImageRenderingHint, Nullable, VerificationStatus } from '../choices.ts'
import { Address, CollectionSlug, HexColor, InscriptionId, SearchText, Text } from '../scalars.ts'
import { SameName } from './collections.ts'
import { Count, read } from './read.ts'

const inCollection = {
  collectionSlug: CollectionSlug,
  collectionName: Text,
  verificationStatus: VerificationStatus,
}

const FoundTrait = Type.Object(
  { ...inCollection, type: Text, value: Text, count: Count },
  { title: 'FoundTrait' },
)

const FoundInscription = Type.Object(
  {
    inscriptionId: InscriptionId,
    inscriptionNumber: Nullable(Type.Integer()),
    name: Text,
    contentType: Nullable(Type.String()),
    imageRenderingHint: Nullable(ImageRenderingHint),
    collectionSlug: Nullable(CollectionSlug),
    collectionName: Nullable(Text),
    verificationStatus: Nullable(VerificationStatus),
    priceSats: Nullable(PositiveSats),
  },
  { title: 'FoundInscription' },
)

const FoundCollection = Type.Object(
  {
    slug: CollectionSlug,
    name: Text,
    verificationStatus: VerificationStatus,
    sameNameAs: Nullable(SameName),
    previewInscriptionId: Nullable(InscriptionId),
    previewContentType: Nullable(Type.String()),
    imageRenderingHint: Nullable(ImageRenderingHint),
    cardBackgroundColor: Nullable(HexColor),
    itemCount: Count,
    floorSats: Nullable(PositiveSats),
  },
  { title: 'FoundCollection' },
)

export const search = read('search', 'GET /search', {
  summary: 'Search results: up to five traits, inscriptions, collections and addresses each.',
  description:
    'The text matches names at the start of any word, ignoring case, punctuation and accents; a symbol such as an emoji is a word. Verified collections and their items are first. Inscriptions also match by number, id, sat (number, name, decimal, degree or percentile), outpoint and satpoint. Addresses that traded on this market match by prefix, with at least four characters after `1`.',
  query: Type.Object({ q: SearchText }),
  answer: Type.Object(
    {
      traits: Type.Array(FoundTrait),
      inscriptions: Type.Array(FoundInscription),
      collections: Type.Array(FoundCollection),
      addresses: Type.Array(Address),
    },
    { title: 'SearchResponse' },
  ),
})
