/** The site beside the service, as the definition declares it. */

export interface SiteOptions {
  /** The folder with the files: a path from the working directory such as `web`, or a `file:` URL. */
  readonly folder: string | URL
  /** The file for the paths of pages that no file has, such as `index.html`. */
  readonly fallback?: string
  /** The folder in it whose files never change, because their names contain a digest, such as `assets/`. */
  readonly immutable?: string
  /** The Content-Security-Policy of its pages. By default they load only what is of their own origin. */
  readonly policy?: string
}
