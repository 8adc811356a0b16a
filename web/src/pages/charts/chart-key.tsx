export const Key = ({ colour, children }: { colour: string; children: string }) => (
  <span className="flex items-center gap-1.5">
    <span className={`size-2 rounded-full ${colour}`} />
    {children}
  </span>
)
