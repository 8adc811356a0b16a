import { useRead } from '@ordbook/web-ui/api/client.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { collection as words } from '@ordbook/web-ui/strings/collection.ts'
import { titles } from '@ordbook/web-ui/strings/pages.ts'
import { BUTTON, KINDS } from '@ordbook/web-ui/ui/basics.tsx'
import { CollectionName } from '@ordbook/web-ui/ui/collection-name.tsx'
import { Missing } from '../parts/missing.tsx'

/** Page of an unknown collection. It suggests a collection whose name begins with the first word of the slug. */
export function MissingCollection({ slug }: { slug: string }) {
  const [word = ''] = slug.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== '')
  const q = word.slice(0, 40)
  const found = useRead('search', { query: { q } }, { enabled: q !== '' })
  const alike = found.data?.collections[0]
  return (
    <Missing title={titles.missingCollection} heading={words.missing(slug.slice(0, 60))}>
      {alike ? (
        <p className="flex flex-wrap items-center justify-center gap-1.5">
          {words.didYouMean}
          <Link
            to="/collection/$slug"
            params={{ slug: alike.slug }}
            className="inline-flex items-center gap-1 text-accent underline"
          >
            <CollectionName of={{ ...alike, collectionName: alike.name }} />
          </Link>
          ?
        </p>
      ) : (
        <Link to="/collections" className={`${BUTTON} ${KINDS.plain}`}>
          {words.explore}
        </Link>
      )}
    </Missing>
  )
}
