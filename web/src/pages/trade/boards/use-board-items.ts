import type { Answer } from '@ordbook/sdk/operations.ts'
import { client } from '@ordbook/web-ui/api/client.ts'
import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { useQueries } from '@tanstack/react-query'
import { inputsOf } from '../../forms/best-bids.ts'
import { useCollections } from '../../parts/use-collections.ts'
import type { AnyProposal } from '../proposal-card.tsx'
import type { Leg as NewLeg } from '../trade-legs.ts'
import type { BoardItem } from './board.ts'

type Named = Answer<'listItems'>['items'][number]
type Leg = AnyProposal['wantedLegs'][number]

/** Maximum number of inscriptions of one `listItems` request. */
const MAX_IDS = 20

/** Any items of a collection. */
interface AnyItems {
  key: string
  slug: string
  name: string
  criteria: string | null
  quantity: number
  /** Null if it is not known. */
  floorSats: number | null
}

/** What a board shows, before its names and prices are loaded. */
export type Entry = { inscriptionId: string } | AnyItems

const isNamed = (entry: Entry): entry is { inscriptionId: string } => 'inscriptionId' in entry

/** For thumbnails of items that are not loaded yet. */
const UNKNOWN_TYPE = 'application/octet-stream'

/** Returns the items of boards with their names, marks and prices. */
export function useBoardItems(boards: readonly (readonly Entry[])[]): {
  boards: BoardItem[][]
  /** False until all names and prices are loaded. */
  isPriced: boolean
} {
  const entries = boards.flat()
  const ids = [...new Set(entries.filter(isNamed).map(({ inscriptionId }) => inscriptionId))]
  const anyItems = entries.flatMap((entry) => (isNamed(entry) ? [] : [entry]))
  const { named, isLoaded } = useNamed(ids)
  const floors = useTraitFloors(ids)
  const ofNamed = [...named.values()].flatMap(({ collectionSlug }) => collectionSlug ?? [])
  const collections = useCollections([...ofNamed, ...anyItems.map(({ slug }) => slug)])
  const markOf = (
    slug: string,
    collectionName: string,
    verificationStatus: Named['verificationStatus'],
  ): BoardItem['collection'] => ({
    slug,
    collectionName,
    verificationStatus: collections.get(slug)?.verificationStatus ?? verificationStatus,
    sameNameAs: collections.get(slug)?.sameNameAs ?? null,
  })
  const itemOf = (inscriptionId: string): BoardItem => {
    const item = named.get(inscriptionId)
    const { collectionSlug: slug = null, collectionName = null } = item ?? {}
    return {
      key: inscriptionId,
      name: item?.name ?? words.unknownItem,
      criteria: null,
      quantity: 1,
      pictureId: inscriptionId,
      contentType: item ? item.contentType : UNKNOWN_TYPE,
      hint: item?.imageRenderingHint ?? null,
      inscriptionId,
      collection:
        slug === null ? null : markOf(slug, collectionName ?? slug, item?.verificationStatus ?? null),
      traitFloorSats: floors.byId.get(inscriptionId) ?? null,
      floorSats: item?.collectionFloorSats ?? null,
    }
  }
  const anyOf = ({ slug, name, quantity, floorSats, ...entry }: AnyItems): BoardItem => {
    const collection = collections.get(slug)
    return {
      ...entry,
      name: words.anyItems(quantity),
      quantity,
      pictureId: collection?.previewInscriptionId ?? null,
      contentType: collection?.previewContentType ?? null,
      hint: collection?.imageRenderingHint ?? null,
      inscriptionId: null,
      collection: markOf(slug, name, null),
      traitFloorSats: null,
      floorSats: collection?.floorSats ?? floorSats,
    }
  }
  const items = (board: readonly Entry[]) =>
    board.map((entry) => (isNamed(entry) ? itemOf(entry.inscriptionId) : anyOf(entry)))
  return {
    boards: boards.map(items),
    isPriced:
      isLoaded &&
      floors.isRead &&
      anyItems.every(({ slug, floorSats }) => floorSats !== null || collections.has(slug)),
  }
}

function useNamed(ids: readonly string[]) {
  const inputs = Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, n) => ({
    query: { inscriptionIds: ids.slice(n * MAX_IDS, (n + 1) * MAX_IDS).join(',') },
  }))
  return useQueries({
    queries: inputs.map((input) => ({
      queryKey: ['listItems', input],
      queryFn: () => client.call('listItems', input),
    })),
    combine: byInscription,
  })
}

const byInscription = (found: readonly { data: Answer<'listItems'> | undefined }[]) => ({
  named: new Map<string, Named>(
    found.flatMap(({ data }) => data?.items ?? []).map((item) => [item.inscriptionId, item]),
  ),
  isLoaded: found.every(({ data }) => data !== undefined),
})

/** Returns trait floors. A failed read counts as read: the floor is then the estimated value. */
const useTraitFloors = (ids: readonly string[]) =>
  useQueries({
    queries: inputsOf(ids).map((input) => ({
      queryKey: ['listItemValues', input],
      queryFn: () => client.call('listItemValues', input),
    })),
    combine: floorsIn,
  })

const floorsIn = (found: readonly { data: Answer<'listItemValues'> | undefined; isPending: boolean }[]) => ({
  byId: new Map(
    found
      .flatMap(({ data }) => data?.values ?? [])
      .map(({ inscriptionId, traitFloorSats }) => [inscriptionId, traitFloorSats]),
  ),
  isRead: found.every(({ isPending }) => !isPending),
})

/** Returns what a leg wants: its items if it names exactly as many as it wants, otherwise any of them. */
export function entriesOfLeg({ id, collection, quantity, target, ...leg }: Leg): Entry[] {
  if (target.kind === 'inscriptions' && target.inscriptionIds.length === quantity)
    return target.inscriptionIds.map((inscriptionId) => ({ inscriptionId }))
  const criteria =
    target.kind === 'traits'
      ? words.withTraits(target.traits)
      : target.kind === 'inscriptions'
        ? words.ofChosen(target.inscriptionIds.length)
        : null
  const { slug, name } = collection
  return [{ key: id, slug, name, criteria, quantity, floorSats: leg.estimatedUnitValueSats }]
}

/** Returns what a leg of a new proposal wants. */
export function entriesOfNewLeg({ key, slug, name, quantity, picks, trait }: NewLeg): Entry[] {
  const named = [...picks.keys()]
  if (named.length > 0 && named.length === quantity) return named.map((inscriptionId) => ({ inscriptionId }))
  const criteria =
    named.length > 0
      ? words.ofChosen(named.length)
      : trait
        ? words.withTraits([{ type: trait.type, values: [trait.value] }])
        : null
  return [{ key: String(key), slug, name, criteria, quantity, floorSats: null }]
}
