# A stand-in for Homebrew: installs a formula into a folder, with the methods that the formula uses.
# Arguments: the formula, and the folder.
require "digest"
require "fileutils"
require "open3"
require "pathname"
require "tmpdir"
require "uri"

class Place < Pathname
  def install(given)
    FileUtils.mkdir_p(self)
    given = given.to_h { |file| [file, File.basename(file)] } if given.is_a?(Array)
    raise "nothing to install in #{self}" if given.empty?
    given.each { |from, to| FileUtils.mv(from, self/to) }
  end
end

class Download
  def url(value) = @url = value
  def sha256(value) = @sum = value

  def stage(&work)
    Dir.mktmpdir do |folder|
      file = File.join(folder, File.basename(@url))
      FileUtils.cp(URI.decode_www_form_component(URI(@url).path), file)
      File.chmod(0644, file)
      raise "#{@url} has another checksum" unless Digest::SHA256.file(file).hexdigest == @sum
      if file.end_with?(".tar.gz")
        raise "tar failed" unless system("tar", "-xzf", file, "-C", folder)
        File.delete(file)
      end
      Dir.chdir(folder, &work)
    end
  end
end

class Formula
  include FileUtils

  class << self
    attr_reader :about, :named, :source, :resources, :check

    def desc(value) = (@about ||= {})[:desc] = value
    def homepage(value) = (@about ||= {})[:homepage] = value
    def license(value) = (@about ||= {})[:license] = value
    def version(value = nil) = value.nil? ? @version : @version = value
    def on_macos = (yield if RUBY_PLATFORM.include?("darwin"))
    def on_linux = (yield if RUBY_PLATFORM.include?("linux"))
    def on_arm = (yield if RUBY_PLATFORM.match?(/^(arm|aarch)/))
    def on_intel = (yield if RUBY_PLATFORM.start_with?("x86_64"))
    def url(value) = (@source ||= Download.new).url(value)
    def sha256(value) = @source.sha256(value)
    def resource(name, &work) = ((@resources ||= {})[name] = Download.new).instance_eval(&work)
    def test(&work) = @check = work
  end

  def initialize(prefix) = @prefix = Place.new(prefix)
  def version = self.class.version
  def bin = Place.new(@prefix/"bin")
  def man1 = Place.new(@prefix/"share/man/man1")
  def resource(name) = self.class.resources.fetch(name)

  def shell_output(line)
    output, status = Open3.capture2(line)
    raise "#{line} failed" unless status.success?
    output
  end

  def assert_equal(wanted, got) = (raise "#{got} instead of #{wanted}" unless wanted == got)

  FILES = { bash: "etc/bash_completion.d/%s", zsh: "share/zsh/site-functions/_%s", fish: "share/fish/vendor_completions.d/%s.fish" }

  def generate_completions_from_executable(program, *words, shells:)
    shells.each do |shell|
      file = @prefix/format(FILES.fetch(shell), program.basename)
      mkdir_p(file.dirname)
      file.write(shell_output([program, *words, shell].join(" ")))
    end
  end
end

file, prefix = ARGV
load file
formula = Paycli.new(prefix)
Paycli.source.stage { formula.install }
formula.instance_eval(&Paycli.check)
puts Paycli.about.fetch(:desc)
