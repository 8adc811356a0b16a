import type { SVGProps } from 'react'

type IconProps = SVGProps<SVGSVGElement>

/** Decorative line icon. The text next to it must have the meaning. */
function Line({ d, ...props }: IconProps & { d: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width="1em"
      height="1em"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      {...props}
    >
      <path d={d} />
    </svg>
  )
}

export const SearchIcon = (props: IconProps) => (
  <Line {...props} d="M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4 4" />
)
export const BellIcon = (props: IconProps) => <Line {...props} d="M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4" />
export const CartIcon = (props: IconProps) => <Line {...props} d="M4 5h2l2 11h10l2-8H7M9 20h.01M17 20h.01" />
export const SettingsIcon = (props: IconProps) => (
  <Line
    {...props}
    d="M4 7h9M19 7h1M16 4.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM4 17h1M11 17h9M8 14.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z"
  />
)
export const CloseIcon = (props: IconProps) => <Line {...props} d="M6 6l12 12M18 6L6 18" />
export const CheckIcon = (props: IconProps) => <Line {...props} d="M5 12.5l4.5 4.5L19 7" />
export const WalletIcon = (props: IconProps) => (
  <Line {...props} d="M4 7h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zM4 7l10-3v3M16 13.5h.01" />
)
export const SwapIcon = (props: IconProps) => (
  <Line {...props} d="M4 8h14M14 4l4 4-4 4M20 16H6M10 12l-4 4 4 4" />
)
export const FilterIcon = (props: IconProps) => <Line {...props} d="M4 6h16M7 12h10M10 18h4" />
export const ShieldIcon = (props: IconProps) => (
  <Line {...props} d="M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM9 12l2 2 4-4" />
)
export const BackIcon = (props: IconProps) => <Line {...props} d="M15 5l-7 7 7 7" />
export const WarningIcon = (props: IconProps) => <Line {...props} d="M12 4l9 16H3zM12 10v4M12 17h.01" />
export const ExploreIcon = (props: IconProps) => (
  <Line {...props} d="M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z" />
)
export const DenseIcon = (props: IconProps) => (
  <Line
    {...props}
    d="M4 4h3v3H4zM10.5 4h3v3h-3zM17 4h3v3h-3zM4 10.5h3v3H4zM10.5 10.5h3v3h-3zM17 10.5h3v3h-3zM4 17h3v3H4zM10.5 17h3v3h-3zM17 17h3v3h-3z"
  />
)
export const RowsIcon = (props: IconProps) => <Line {...props} d="M4 6h16M4 12h16M4 18h16" />
export const ActivityIcon = (props: IconProps) => <Line {...props} d="M3 12h4l3-7 4 14 3-7h4" />
export const InfoIcon = (props: IconProps) => (
  <Line {...props} d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 8h.01" />
)
export const LinkIcon = (props: IconProps) => <Line {...props} d="M7 17L17 7M9 7h8v8" />
export const TransferIcon = (props: IconProps) => <Line {...props} d="M4 12h15M13 6l6 6-6 6" />
export const InscribedIcon = (props: IconProps) => <Line {...props} d="M12 5v14M5 12h14" />
export const PauseIcon = (props: IconProps) => <Line {...props} d="M9 6v12M15 6v12" />
export const StarIcon = (props: IconProps) => (
  <Line {...props} d="M12 4l2.5 5.2 5.7.7-4.2 4 1.1 5.6-5.1-2.8-5.1 2.8 1.1-5.6-4.2-4 5.7-.7z" />
)
export const ListIcon = (props: IconProps) => <Line {...props} d="M4 12V4h8l8 8-8 8zM8 8h.01" />
export const PriceCutIcon = (props: IconProps) => <Line {...props} d="M6 10l6 6 6-6" />
export const OfferIcon = (props: IconProps) => <Line {...props} d="M13 3L5 14h6l-1 7 8-11h-6z" />
export const ClockIcon = (props: IconProps) => (
  <Line {...props} d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2" />
)
