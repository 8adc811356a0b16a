import { feeds as words } from '@ordbook/web-ui/strings/pages.ts'
import { useEffect } from 'react'

interface Feed {
  of: 'collection' | 'address'
  id: string
}

const pathOf = ({ of, id }: Feed) => `/feeds/${of}/${encodeURIComponent(id)}.atom`

/** Tells feed readers the feed of the page. Replaces the link of the served document. */
export function FeedAlternate(feed: Feed) {
  const href = pathOf(feed)
  useEffect(() => {
    document.querySelector('link[data-feed]')?.remove()
    const link = document.createElement('link')
    Object.assign(link, { rel: 'alternate', type: 'application/atom+xml', title: words.activity, href })
    link.dataset.feed = ''
    document.head.append(link)
    return () => link.remove()
  }, [href])
  return null
}

/** Link to the feed of the page. */
export const FeedLink = (feed: Feed) => (
  <a href={pathOf(feed)} title={words.why} className="w-fit text-small text-soft underline hover:text-ink">
    {words.link}
  </a>
)
