import { Verification } from './verified.tsx'

/** The name of a collection, or of an item's, with the mark of its verification; nothing for an item of none. */
export function CollectionName({
  of: { collectionName, verificationStatus, sameNameAs },
}: {
  of: {
    collectionName: string | null
    verificationStatus: 'verified' | 'unverified' | null
    /** Left out where the read behind the page does not say it. */
    sameNameAs?: { name: string } | null
  }
}) {
  if (collectionName === null) return null
  return (
    <>
      <span dir="auto" className="truncate">
        {collectionName}
      </span>
      {verificationStatus && <Verification of={verificationStatus} sameNameAs={sameNameAs ?? null} />}
    </>
  )
}
