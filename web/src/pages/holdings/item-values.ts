import type { Answer } from '@ordbook/sdk/operations.ts'
import { client } from '@ordbook/web-ui/api/client.ts'
import { useQueries } from '@tanstack/react-query'
import { inputsOf } from '../forms/best-bids.ts'

type ItemValue = Answer<'listItemValues'>['values'][number]

/** Returns trait floors and last sales of inscriptions, once loaded. */
export function useItemValues(inscriptionIds: readonly string[]): ReadonlyMap<string, ItemValue> {
  return useQueries({
    queries: inputsOf(inscriptionIds).map((input) => ({
      queryKey: ['listItemValues', input],
      queryFn: () => client.call('listItemValues', input),
    })),
    combine: byInscription,
  })
}

const byInscription = (found: readonly { data: Answer<'listItemValues'> | undefined }[]) =>
  new Map(found.flatMap(({ data }) => (data?.values ?? []).map((value) => [value.inscriptionId, value])))
