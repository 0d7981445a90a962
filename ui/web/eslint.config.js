import js from '@eslint/js';
import globals from 'globals';

export default [
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2022, sourceType: 'module', globals: globals.browser },
    rules: {
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
      'max-lines': ['error', { max: 280, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 20],
      'no-restricted-properties': ['error', ...['innerHTML', 'outerHTML'].map((property) => ({ property }))],
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      // v !== v is how NaN is told from null and undefined at once.
      'no-self-compare': 'off',
    },
  },
  { files: ['**/*.test.mjs', 'eslint.config.js'], languageOptions: { globals: globals.node } },
];
