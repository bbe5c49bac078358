/**
 * Builds the JavaScript of the package: a few bundles in one folder, `dist/`, because Node takes
 * time to find and link each file. `src/package-paths.ts` relies on the single folder.
 */

import { build, type Plugin } from 'esbuild'
import { commands } from './src/cli.ts'

/** The public modules, and the entry files of processes and threads. */
const programs = [
  'src/cli.ts',
  'src/index.ts',
  'src/client.ts',
  'src/store/sqlite/write/writer-main.ts',
  'src/store/sqlite/read/reader-main.ts',
  'src/store/sqlite/connection/file-check-main.ts',
  'src/commands/workers/worker.ts',
]

/**
 * Puts all commands except `serve` and `init` into one bundle. With one bundle per command, the
 * shared code would be split into twice as many files, and `serve` would load them all.
 */
const otherCommands: Plugin = {
  name: 'other-commands',
  setup({ onResolve, onLoad }) {
    const others = [...commands.keys()].filter((name) => name !== 'serve' && name !== 'init')
    const filter = new RegExp(`^\\./commands/(${others.join('|')})\\.ts$`)
    const contents = others.map((name) => `export * from './commands/${name}.ts'`).join('\n')
    onResolve({ filter }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: 'others', namespace: 'commands' } : undefined,
    )
    onLoad({ filter: /^others$/, namespace: 'commands' }, () => ({ contents, resolveDir: 'src' }))
  },
}

await build({
  entryPoints: programs,
  outdir: 'dist',
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  // Shared modules exist once, so that `instanceof` works across bundles.
  splitting: true,
  plugins: [otherCommands],
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node26',
  sourcemap: 'linked',
  // The package contains the sources.
  sourcesContent: false,
  logLevel: 'warning',
})
