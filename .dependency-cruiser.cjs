/** The one direction of imports (README, "The house"): each folder may import the ones to its right, never to its left. */
const order = [
  'bench',
  'cli',
  'report',
  'gate',
  'harness',
  'peer',
  'relay',
  'bindings',
  'coordinator',
  'executor',
  'identity',
  'journal',
  'profile',
  'telemetry',
];

const upwards = order.slice(1).map((layer, index) => ({
  name: `${layer}-imports-upwards`,
  severity: 'error',
  from: { path: `^src/${layer}/` },
  to: { path: `^src/(${order.slice(0, index + 1).join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...upwards,
    {
      name: 'profile-is-pure',
      comment: 'the contract: no I/O, no binding, nothing of ours',
      severity: 'error',
      from: { path: '^src/profile/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^src/(?!profile/)|^(node:)?(fs|net|http|https|child_process|worker_threads|dgram|timers)',
      },
    },
    {
      name: 'executor-and-coordinator-are-apart',
      comment: 'two peers that share code share bugs',
      severity: 'error',
      from: { path: '^src/coordinator/' },
      to: { path: '^src/(executor|journal)/' },
    },
    {
      name: 'probes-share-no-codec',
      comment: 'a codec bug on both sides would pass itself (harness contract)',
      severity: 'error',
      from: { path: '^src/harness/wire/' },
      to: { path: '^src/bindings/|@a2a-js/sdk' },
    },
    {
      name: 'suites-speak-through-the-lab',
      severity: 'error',
      from: { path: '^suites/' },
      to: { path: '^src/(?!harness/|profile/|gate/)' },
    },
    {
      name: 'only-the-harness-knows-defects',
      severity: 'error',
      from: { path: '^src/(?!harness/)', pathNot: '^src/cli/' },
      to: { path: '^src/harness/defects/' },
    },
    {
      name: 'product-never-imports-the-harness-or-suites',
      severity: 'error',
      from: { path: '^src/(peer|relay|bindings|coordinator|executor|identity|journal|profile|telemetry)/' },
      to: { path: '^(suites|src/(harness|gate|report|cli|bench))/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    exclude: { path: '^dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default'],
    },
  },
};
