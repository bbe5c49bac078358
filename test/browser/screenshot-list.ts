/** The pictures in `docs/screenshots`: five pages of the demo, light and dark, at four widths. */

export const screenshotPages = ['home', 'collection', 'item', 'docs', 'status'] as const
export const colorSchemes = ['light', 'dark'] as const
export const screenshotHeight = 900
const widths = [375, 768, 1440, 2560] as const

export interface Screenshot {
  readonly page: (typeof screenshotPages)[number]
  readonly scheme: (typeof colorSchemes)[number]
  readonly width: number
  /** The name of its file. That of the width 1440, which guides show, has no number. */
  readonly file: string
}

export const screenshots: readonly Screenshot[] = screenshotPages.flatMap((page) =>
  colorSchemes.flatMap((scheme) =>
    widths.map((width) => {
      const suffix = width === 1440 ? '' : `-${width}`
      return { page, scheme, width, file: `${page}-${scheme}${suffix}.png` }
    }),
  ),
)
